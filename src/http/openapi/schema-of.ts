import type * as t from 'io-ts';
import { FieldsType } from '../fields/fields-type.js';
import { type JsonSchema, nameOf, registeredSchema } from '../fields/json-schema.js';

type Codecs = Readonly<Record<string, t.Mixed>>;

/** The structure of io-ts codecs, as far as ours use them. */
type Reflected =
  | { readonly _tag: 'StringType' | 'NumberType' | 'BooleanType' | 'NullType' | 'UnknownType' | 'AnyDictionaryType' }
  | { readonly _tag: 'LiteralType'; readonly value: unknown }
  | { readonly _tag: 'KeyofType'; readonly keys: object }
  | { readonly _tag: 'ArrayType' | 'ReadonlyArrayType'; readonly type: t.Mixed }
  | { readonly _tag: 'InterfaceType' | 'PartialType'; readonly props: Codecs }
  | { readonly _tag: 'IntersectionType' | 'UnionType'; readonly types: ReadonlyArray<t.Mixed> };

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
      return { const: reflected.value };
    case 'KeyofType':
      return { enum: Object.keys(reflected.keys) };
    case 'ArrayType':
    case 'ReadonlyArrayType':
      return { type: 'array', items: schemaOf(reflected.type) };
    case 'InterfaceType':
      return { type: 'object', properties: mapped(reflected.props, schemaOf), required: Object.keys(reflected.props) };
    case 'PartialType':
      return { type: 'object', properties: mapped(reflected.props, schemaOf) };
    case 'IntersectionType':
      return { allOf: reflected.types.map(schemaOf) };
    case 'UnionType':
      return { anyOf: reflected.types.map(schemaOf) };
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
  const inlined: SchemaOf = (codec) => {
    const registered = registeredSchema(codec);
    if (registered !== undefined) return registered;
    return codec instanceof FieldsType
      ? fieldsSchema(codec as FieldsType<Codecs, string>, schemaOf) // reason: `instanceof` does not know its parameters
      : reflect(codec, schemaOf);
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
