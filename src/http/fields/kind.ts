import { EntityKind } from '../../domain/shared/entity-kind.js';
import { field } from './field.js';

/** Those that the contract lists. */
export const kinds = Object.keys(EntityKind.keys);

/** A kind of entity that the contract lists; null or an empty text restores the default. */
export const Kind = field<EntityKind | null>({
  expectation: `one of ${kinds.join(', ')}, or null`,
  schema: { type: ['string', 'null'], enum: [...kinds, '', null] },
  read: (value) => {
    if (value === null || value === '') return null;
    return EntityKind.is(value) ? value : undefined;
  },
});
