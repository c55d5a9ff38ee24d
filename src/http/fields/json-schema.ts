import type * as t from 'io-ts';

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const schemas = new WeakMap<t.Mixed, JsonSchema>();

/** Registers the schema of a codec that reflection cannot look into. */
export const describe = <Codec extends t.Mixed>(codec: Codec, schema: JsonSchema): Codec => {
  schemas.set(codec, schema);
  return codec;
};

const names = new WeakMap<t.Mixed, string>();

/** Names a codec: the document describes it once, under this name, and refers to it everywhere else. */
export const named = <Codec extends t.Mixed>(name: string, codec: Codec): Codec => {
  names.set(codec, name);
  return codec;
};

export const nameOf = (codec: t.Mixed): string | undefined => names.get(codec);

export const registeredSchema = (codec: t.Mixed): JsonSchema | undefined => schemas.get(codec);
