import type { Clock } from './clock.js';
import type { Random } from './random.js';

/** What a composition takes of the world beside its stores. With another one, the same code lives in another time. */
export type Runtime = { readonly clock: Clock; readonly random: Random };
