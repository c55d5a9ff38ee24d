import * as t from 'io-ts';

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A whole number of at least 0. By its format, languages with several sizes of numbers take one that has room for it. */
export const WHOLE_NUMBER: JsonSchema = { type: 'integer', format: 'int64', minimum: 0 };

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

/** What the members of objects mean, by their keys; `''` is the whole. */
export type Meanings = Readonly<Record<string, string>>;

const explained = new WeakMap<t.Mixed, Meanings>();

/** Says what the members of a codec mean, at whatever depth they are, but for those that say it themselves. */
export const explain = <Codec extends t.Mixed>(meanings: Meanings, codec: Codec): Codec => {
  explained.set(codec, meanings);
  return codec;
};

export const meaningsOf = (codec: t.Mixed): Meanings | undefined => explained.get(codec);

/** Any of these codecs. It describes answers; nothing is read by it. Unlike `t.union`, also of one codec or none. */
export const unionOf = (codecs: ReadonlyArray<t.Mixed>): t.Mixed =>
  new t.UnionType<Array<t.Mixed>, unknown, unknown, unknown>(
    'one of several',
    t.unknown.is,
    t.unknown.validate,
    t.identity,
    [...codecs],
  );

export const nameOf = (codec: t.Mixed): string | undefined => names.get(codec);

export const registeredSchema = (codec: t.Mixed): JsonSchema | undefined => schemas.get(codec);
