import { type Registry, registry as theRegistry } from '../../src/entities/registry.js';
import { contact } from './contact/definition.js';

/** Those of the service, and a kind that it does not have. */
export const registry: Registry = { entities: [...theRegistry.entities, contact], module: import.meta.url };
