import * as t from 'io-ts';
import { describe, type JsonSchema } from './json-schema.js';

/** One value of a request: what is expected (a fault says so), its schema, and how it is read. */
type FieldSpec<A> = {
  readonly expectation: string;
  readonly schema: JsonSchema;
  /** The value as the domain takes it; undefined when it does not fit. */
  readonly read: (value: unknown) => A | undefined;
};

/**
 * A codec over one value of a request. `is` holds for a value that `read` would leave as it is, so that a valid request is
 * read without a validation object for each of its fields.
 */
export const field = <A>({ expectation, schema, read }: FieldSpec<A>): t.Type<A, A> => {
  const codec = new t.Type<A, A, unknown>(
    expectation,
    // `Object.is`: -0 is read as 0, so -0 itself must not pass
    (value): value is A => value !== undefined && Object.is(read(value), value),
    (value, context) => {
      const result = read(value);
      return result === undefined ? t.failure(value, context, `expected ${expectation}`) : t.success(result);
    },
    t.identity,
  );
  return describe(codec, schema);
};
