import * as t from 'io-ts';

/** A value, or null where it was never set or has been cleared. */
export const nullable = <A>(codec: t.Type<A>): t.Type<A | null> => t.union([codec, t.null]);
