import * as t from 'io-ts';
import { FieldsType } from '../fields/fields-type.js';
import { type JsonSchema, type Meanings, meaningsOf, nameOf, registeredSchema } from '../fields/json-schema.js';

type Codecs = Readonly<Record<string, t.Mixed>>;

/** The structure of io-ts codecs, as far as ours use them. */
type Reflected =
  | { readonly _tag: 'StringType' | 'NumberType' | 'BooleanType' | 'NullType' | 'UnknownType' | 'AnyDictionaryType' }
  | { readonly _tag: 'LiteralType'; readonly value: unknown }
  | { readonly _tag: 'KeyofType'; readonly keys: object }
  | { readonly _tag: 'ArrayType' | 'ReadonlyArrayType'; readonly type: t.Mixed }
  | { readonly _tag: 'InterfaceType' | 'PartialType'; readonly props: Codecs }
  | { readonly _tag: 'TupleType' | 'IntersectionType' | 'UnionType'; readonly types: ReadonlyArray<t.Mixed> };

type SchemaOf = (codec: t.Mixed) => JsonSchema;

const mapped = (codecs: Codecs, schemaOf: SchemaOf): JsonSchema =>
  Object.fromEntries(Object.entries(codecs).map(([key, codec]) => [key, schemaOf(codec)]));

const fieldsSchema = ({ props, aliases, required }: FieldsType<Codecs, string>, schemaOf: SchemaOf): JsonSchema => {
  const aliased = Object.entries(aliases).map(([key, alias]) => [alias, props[key] ? schemaOf(props[key]) : {}]);
  return {
    type: 'object',
    properties: { ...mapped(props, schemaOf), ...Object.fromEntries(aliased) },
    ...(required.length === 0 ? {} : { required }),
  };
};

/** So many values of one kind: of several, generators of clients make something else. */
const tupleSchema = (schemas: ReadonlyArray<JsonSchema>): JsonSchema => {
  const [items] = schemas;
  if (schemas.some((schema) => JSON.stringify(schema) !== JSON.stringify(items)))
    throw new Error('no schema says which of several kinds stands at which place');
  return { type: 'array', items, minItems: schemas.length, maxItems: schemas.length };
};

type ObjectSchema = { readonly properties: JsonSchema; readonly required?: ReadonlyArray<string> };

const isObjectSchema = (schema: JsonSchema): schema is JsonSchema & ObjectSchema => 'properties' in schema;

/** One object of the members of all, as readers and generators of clients understand it best; else what all must be. */
const intersected = (schemas: ReadonlyArray<JsonSchema>): JsonSchema => {
  const objects = schemas.filter(isObjectSchema);
  if (objects.length < schemas.length) return { allOf: schemas };
  const required = objects.flatMap(({ required: own = [] }) => own);
  return {
    type: 'object',
    properties: Object.fromEntries(objects.flatMap(({ properties }) => Object.entries(properties))),
    ...(required.length === 0 ? {} : { required }),
  };
};

/** A value or null as one type, which generators of clients take for an optional value; of a union they make a class. */
const nullableSchema = (value: JsonSchema): JsonSchema => {
  const { type, enum: values } = value;
  if (typeof type !== 'string') throw new Error(`no type says "or null" of ${JSON.stringify(value)}`);
  return {
    ...value,
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as Array<unknown>), null] } : {}),
  };
};

const isNull = (codec: t.Mixed): boolean => codec instanceof t.NullType;

const unionSchema = (codecs: ReadonlyArray<t.Mixed>, schemaOf: SchemaOf): JsonSchema => {
  const [first, ...others] = codecs.filter((codec) => !isNull(codec));
  return first !== undefined && others.length === 0 && codecs.length > 1
    ? nullableSchema(schemaOf(first))
    : { anyOf: codecs.map(schemaOf) };
};

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema with what its members mean, as far as they do not say it themselves. */
const withMeanings = (schema: JsonSchema, meanings: Meanings): JsonSchema => {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    return isObject(value) ? withMeanings(value, meanings) : value;
  };
  const explainedProperties = (properties: JsonSchema): JsonSchema =>
    Object.fromEntries(
      Object.entries(properties).map(([key, property]) => [
        key,
        {
          ...(Object.hasOwn(meanings, key) ? { description: meanings[key] } : {}),
          ...(within(property) as JsonSchema),
        }, // reason: a property is a schema
      ]),
    );
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties' && isObject(value)) return [key, explainedProperties(value)];
      return ['items', 'allOf', 'anyOf', 'oneOf'].includes(key) ? [key, within(value)] : [key, value];
    }),
  );
};

const reflect = (codec: t.Mixed, schemaOf: SchemaOf): JsonSchema => {
  // reason: io-ts keeps the structure of a codec under `_tag`; one that has none, or another, throws below
  const reflected = codec as unknown as Reflected;
  switch (reflected._tag) {
    case 'StringType':
      return { type: 'string' };
    case 'NumberType':
      return { type: 'number' };
    case 'BooleanType':
      return { type: 'boolean' };
    case 'NullType':
      return { type: 'null' };
    case 'UnknownType':
      return {};
    case 'AnyDictionaryType':
      return { type: 'object' };
    case 'LiteralType':
      return { type: typeof reflected.value, const: reflected.value };
    case 'KeyofType':
      return { type: 'string', enum: Object.keys(reflected.keys) };
    case 'ArrayType':
    case 'ReadonlyArrayType':
      return { type: 'array', items: schemaOf(reflected.type) };
    case 'TupleType':
      return tupleSchema(reflected.types.map(schemaOf));
    case 'InterfaceType':
      return { type: 'object', properties: mapped(reflected.props, schemaOf), required: Object.keys(reflected.props) };
    case 'PartialType':
      return { type: 'object', properties: mapped(reflected.props, schemaOf) };
    case 'IntersectionType':
      return intersected(reflected.types.map(schemaOf));
    case 'UnionType':
      return unionSchema(reflected.types, schemaOf);
  }
  throw new Error(`no schema is registered for the codec "${codec.name}"`);
};

/**
 * The schema of what a codec reads: the registered one, else one by its structure. Throws on a codec that has neither, so
 * that none is left out of the document. A codec with a name becomes a reference; `components` holds the schemas referred
 * to so far, by name, in the order of their first reference.
 */
export const makeSchemaOf = (): { readonly schemaOf: SchemaOf; readonly components: Map<string, JsonSchema> } => {
  const components = new Map<string, JsonSchema>();
  const codecs = new Map<string, t.Mixed>();
  const structural: SchemaOf = (codec) => {
    const registered = registeredSchema(codec);
    if (registered !== undefined) return registered;
    return codec instanceof FieldsType
      ? fieldsSchema(codec as FieldsType<Codecs, string>, schemaOf) // reason: `instanceof` does not know its parameters
      : reflect(codec, schemaOf);
  };
  const inlined: SchemaOf = (codec) => {
    const meanings = meaningsOf(codec);
    const schema = structural(codec);
    if (meanings === undefined) return schema;
    const whole = meanings[''];
    return { ...(whole === undefined ? {} : { description: whole }), ...withMeanings(schema, meanings) };
  };
  const schemaOf: SchemaOf = (codec) => {
    const name = nameOf(codec);
    if (name === undefined) return inlined(codec);
    if ((codecs.get(name) ?? codec) !== codec) throw new Error(`two codecs have the name "${name}"`);
    if (!codecs.has(name)) {
      codecs.set(name, codec);
      // listed before those that it refers to itself
      components.set(name, {});
      components.set(name, inlined(codec));
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  return { schemaOf, components };
};
