import type * as t from 'io-ts';
import { DECISION } from '../../read/describe-decision.js';
import { kinds } from '../fields/kind.js';
import { someOfParameter } from '../parameters/list.js';

/** What an `entityType` of an event or of a read may be. */
const ENTITY_TYPES = [...kinds, DECISION];

/** Narrows a list of auditors to one kind of records, or to several. */
export const entityTypes = (meaning: string): t.Type<string | ReadonlyArray<string>> =>
  someOfParameter(ENTITY_TYPES, meaning);
