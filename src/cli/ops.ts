import { registry } from '../entities/registry.js';
import { runOps } from './run-ops.js';

await runOps(registry);
