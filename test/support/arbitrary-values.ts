import * as fc from 'fast-check';
import { EntityKind } from '../../src/domain/shared/entity-kind.js';

/** Any Unicode but lone surrogates, which the HTTP layer rejects. */
export const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });

/** Any number that JSON carries; -0 is 0. */
export const amount = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number));

// reason: the keys of a keyof codec are its values
export const entityKind = fc.constantFrom(...(Object.keys(EntityKind.keys) as ReadonlyArray<EntityKind>));

/** Few enough that histories meet the same ones again. */
export const user = fc.constantFrom('alice', 'bob', 'çelik');

export const orNull = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | null> => fc.option(arbitrary, { nil: null });
