import fc from 'fast-check';

export type Schema = {
  readonly type?: string | ReadonlyArray<string>;
  readonly enum?: ReadonlyArray<unknown>;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: ReadonlyArray<string>;
  readonly items?: Schema;
  readonly anyOf?: ReadonlyArray<Schema>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
};

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('acme.example', 'https://acme.example/x', '', ' ', '0', '2026-01-01T00:00:00Z', '\u202e'),
);

const numberBetween = ({ minimum = -1e6, maximum = 1e6 }: Schema): fc.Arbitrary<number> =>
  fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.double({ min: minimum, max: maximum, noNaN: true }));

const ofType = (type: string, schema: Schema): fc.Arbitrary<unknown> => {
  switch (type) {
    case 'string':
      return texts;
    case 'number':
      return numberBetween(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}), { maxLength: 5 });
    default:
      return objectOf(schema);
  }
};

const objectOf = ({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, arbitraryOf(schema)])), {
    requiredKeys: [...required],
  });

/** Values of roughly the form that a schema asks for: its types and properties, not all of its patterns. */
export const arbitraryOf = (schema: Schema): fc.Arbitrary<unknown> => {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0) return fc.oneof(...types.map((type) => ofType(type, schema)));
  return schema.anyOf === undefined ? fc.jsonValue() : fc.oneof(...schema.anyOf.map(arbitraryOf));
};
