import * as t from 'io-ts';
import { type ByteString, textOf } from './byte-string.js';
import type { Json } from './canonical-json.js';

/**
 * An event without its values: with the same members, but empty texts, lists and zeros in them, except where a value was
 * to be shown.
 */
type Outline<Event> = {
  /** The same for events whose outlines are equal, and no others. */
  readonly key: string | number;
  readonly event: () => Event;
};

/**
 * Of data without its reason. Undefined for data that is not canonical JSON, or not what the codec takes; and where the
 * codec is of another kind.
 */
export type FindOutline<Event> = (type: string, data: ByteString) => Outline<Event> | undefined;

type Groups = ReadonlyArray<string | undefined>;

/** What the canonical JSON of a codec's values looks like. */
type Shape = {
  /** A regular expression. */
  readonly pattern: string;
  /** How many groups it has: what was captured tells which of the values it can be is meant. */
  readonly groups: number;
  /** Whether it is a text, a number or null. */
  readonly isScalar: boolean;
  /** The value, from what the groups captured, of which its own begin at `first`. */
  readonly outline: (groups: Groups, first: number) => Json;
};

type MemberShape = Shape & {
  readonly key: string;
  readonly isThere: (groups: Groups, first: number) => boolean;
};

type Member = { readonly key: string; readonly codec: t.Mixed; readonly isOptional: boolean };

// RFC 8259: what stands between the quotes is repeated character by character, never in two ways
const PLAIN = String.raw`[^"\\\u0000-\u001f]*`;
/** A text as JSON, as a regular expression. */
export const JSON_TEXT = String.raw`"${PLAIN}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${PLAIN})*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?`;
/** Between two members, or behind the last one. */
const BEHIND_MEMBER = String.raw`(?:,(?!\})|(?=\}))`;

const scalar = (pattern: string, value: Json): Shape => ({
  pattern,
  groups: 0,
  isScalar: true,
  outline: () => value,
});

const quoted = (text: string): string => JSON.stringify(text).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** The members of the objects that all of several codecs take. */
const merged = (parts: ReadonlyArray<ReadonlyArray<Member> | undefined>): ReadonlyArray<Member> | undefined => {
  const members = new Map<string, Member>();
  for (const part of parts) {
    if (part === undefined) return undefined;
    for (const member of part) {
      const same = members.get(member.key);
      if (same !== undefined && same.codec !== member.codec) return undefined;
      members.set(member.key, { ...member, isOptional: member.isOptional && same?.isOptional !== false });
    }
  }
  return [...members.values()];
};

const membersOf = (codec: t.Mixed): ReadonlyArray<Member> | undefined => {
  // reason: io-ts types the parts of a codec that is not known as any
  if (codec instanceof t.IntersectionType) return merged((codec.types as ReadonlyArray<t.Mixed>).map(membersOf));
  const isOptional = codec instanceof t.PartialType;
  if (!isOptional && !(codec instanceof t.InterfaceType)) return undefined;
  return Object.entries(codec.props as t.Props).map(([key, of]) => ({ key, codec: of, isOptional })); // reason: as above
};

/** One of several; which of them is told by an empty group behind each, but not of which kind a scalar is. */
const oneOf = (shapes: ReadonlyArray<Shape>): Shape | undefined => {
  const [first] = shapes;
  if (first === undefined) return undefined;
  const patterns = shapes.map(({ pattern }) => pattern);
  if (shapes.every(({ isScalar }) => isScalar)) return { ...first, pattern: `(?:${patterns.join('|')})` };
  return {
    pattern: `(?:${patterns.map((pattern) => `${pattern}()`).join('|')})`,
    groups: shapes.reduce((sum, { groups }) => sum + groups + 1, 0),
    isScalar: false,
    outline: (groups, from) => {
      let at = from;
      for (const shape of shapes) {
        if (groups[at + shape.groups] !== undefined) return shape.outline(groups, at);
        at += shape.groups + 1;
      }
      return null;
    },
  };
};

/** A member and its value. A group tells whether it is there, where that is open. */
const memberShape = ({ key, codec, isOptional }: Member, shown: ReadonlyArray<string>): MemberShape | undefined => {
  const isShown = shown.includes(key);
  const value = shapeOf(codec, shown);
  if (value === undefined || (isShown && !value.isScalar)) return undefined;
  const { groups: own } = value;
  const member = `${quoted(key)}:${isShown ? `(${value.pattern})` : value.pattern}${BEHIND_MEMBER}`;
  if (isShown)
    return {
      key,
      pattern: isOptional ? `(?:${member})?` : member,
      groups: 1,
      isScalar: true,
      isThere: (groups, first) => groups[first] !== undefined,
      // reason: it was captured as JSON, out of a ByteString
      outline: (groups, first) => JSON.parse(textOf((groups[first] ?? 'null') as ByteString)) as Json,
    };
  if (!isOptional) return { ...value, key, pattern: member, isThere: () => true };
  return {
    key,
    pattern: `(?:${member}())?`,
    groups: own + 1,
    isScalar: value.isScalar,
    isThere: (groups, first) => groups[first + own] !== undefined,
    outline: value.outline,
  };
};

const objectShape = (members: ReadonlyArray<Member>, shown: ReadonlyArray<string>): Shape | undefined => {
  const sorted = members.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const shapes = sorted.map((member) => memberShape(member, shown));
  const known = shapes.filter((shape) => shape !== undefined);
  if (known.length < shapes.length) return undefined;
  return {
    pattern: String.raw`\{${known.map(({ pattern }) => pattern).join('')}\}`,
    groups: known.reduce((sum, { groups }) => sum + groups, 0),
    isScalar: false,
    outline: (groups, first) => {
      const object: Record<string, Json> = {};
      let at = first;
      for (const { key, isThere, outline, groups: own } of known) {
        if (isThere(groups, at)) object[key] = outline(groups, at);
        at += own;
      }
      return object;
    },
  };
};

const listShape = (element: Shape | undefined): Shape | undefined =>
  element?.isScalar === true
    ? { ...scalar(String.raw`\[(?:${element.pattern}(?:,${element.pattern})*)?\]`, []), isScalar: false }
    : undefined;

/** Undefined for a kind of codec that this module does not know. */
const shapeOf = (codec: t.Mixed, shown: ReadonlyArray<string>): Shape | undefined => {
  if (codec instanceof t.StringType) return scalar(JSON_TEXT, '');
  if (codec instanceof t.NumberType) return scalar(NUMBER, 0);
  if (codec instanceof t.NullType) return scalar('null', null);
  // reason: io-ts types the parts of a codec that is not known as any
  if (codec instanceof t.KeyofType) {
    const values = Object.keys(codec.keys as object);
    return oneOf(values.map((value) => scalar(quoted(value), value)));
  }
  if (codec instanceof t.ReadonlyArrayType) return listShape(shapeOf(codec.type as t.Mixed, shown));
  if (codec instanceof t.UnionType) {
    const shapes = (codec.types as ReadonlyArray<t.Mixed>).map((one) => shapeOf(one, shown));
    return shapes.includes(undefined) ? undefined : oneOf(shapes.filter((shape) => shape !== undefined));
  }
  const members = membersOf(codec);
  return members && objectShape(members, shown);
};

type Recognizer = Shape & { readonly expression: RegExp; readonly type: number };

/** The recognizer of the data of each type of event. */
const recognizersOf = (codec: t.Mixed, shown: ReadonlyArray<string>): ReadonlyMap<string, Recognizer> => {
  const recognizers = new Map<string, Recognizer>();
  const events = codec instanceof t.UnionType ? (codec.types as ReadonlyArray<t.Mixed>) : [codec]; // reason: as above
  for (const event of events) {
    const members = new Map(membersOf(event)?.map((member) => [member.key, member.codec]));
    const [type, data] = [members.get('type'), members.get('data')];
    const shape = data && shapeOf(data, shown);
    if (shape === undefined || !(type instanceof t.LiteralType) || members.size > 2 || shape.groups > MAX_GROUPS)
      continue;
    const expression = new RegExp(`^${shape.pattern}$`);
    recognizers.set(String(type.value), { ...shape, expression, type: recognizers.size });
  }
  return recognizers;
};

/** Groups whose presence one number can tell. */
const MAX_GROUPS = 30;

/** A number where nothing but presence was captured, which costs least. No JSON text has a line break in it. */
const keyOf = (type: number, groups: Groups): string | number => {
  let presence = 0;
  let captured = '';
  for (let group = 1; group < groups.length; group += 1) {
    const text = groups[group];
    if (text === undefined) continue;
    presence |= 1 << (group - 1);
    if (text !== '') captured += `${group}\n${text}\n`;
  }
  const key = type * 2 ** MAX_GROUPS + presence;
  return captured === '' ? key : `${key}\n${captured}`;
};

/**
 * Finds outlines of events without decoding them: a regular expression, made of the codec of the events, recognizes the
 * stored text. Whatever it recognizes would also be decoded. It takes a third of the time, because no value is made.
 * `shown` names the members whose values an outline has, at whatever depth; they must be texts, numbers or null.
 */
export const makeFindOutline = <Event>(codec: t.Type<Event>, shown: ReadonlyArray<string>): FindOutline<Event> => {
  const recognizers = recognizersOf(codec, shown);
  return (type, data) => {
    const recognizer = recognizers.get(type);
    const groups = recognizer?.expression.exec(data);
    if (recognizer === undefined || groups === null || groups === undefined) return undefined;
    // reason: the codec takes every value that its recognizer makes
    return {
      key: keyOf(recognizer.type, groups),
      event: () => ({ type, data: recognizer.outline(groups, 1) }) as unknown as Event,
    };
  };
};
