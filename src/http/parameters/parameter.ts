import type * as t from 'io-ts';
import { field } from '../fields/field.js';
import type { JsonSchema } from '../fields/json-schema.js';

type ParameterSpec<A> = {
  readonly expectation: string;
  /** What it does, for the API description. A filter of a list needs none: it says what its name says. */
  readonly meaning?: string;
  readonly schema: JsonSchema;
  readonly read: (value: string) => A | undefined;
};

const meanings = new WeakMap<t.Mixed, string>();

export const meaningOf = (codec: t.Mixed): string | undefined => meanings.get(codec);

/** A query parameter, given once. */
export const parameter = <A>({ expectation, meaning, schema, read }: ParameterSpec<A>): t.Type<A, A> => {
  const codec = field<A>({
    expectation: `${expectation}, once`,
    schema,
    read: (value) => (typeof value === 'string' ? read(value) : undefined),
  });
  if (meaning !== undefined) meanings.set(codec, meaning);
  return codec;
};
