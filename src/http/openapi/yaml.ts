/** Begins with a letter and has no sign with a meaning: no reader, also one of YAML 1.1, takes it for anything but a text. */
const PLAIN = /^[a-z](?:[\w ./()-]*[\w./)-])?$/i;

/** Texts that some reader of YAML takes for something else: of 1.1 also an exponent without digits before it, for a number. */
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n|e-?\d+)$/i;

// a text of JSON is a text of YAML (YAML 1.2 §1.2)
const textOf = (text: string): string => (PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text));

const scalarOf = (value: unknown): string => (typeof value === 'string' ? textOf(value) : JSON.stringify(value));

const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Its lines, joined, each behind `indent` but the first, which goes on behind a `- `. */
const blockOf = (value: object, indent: string): string =>
  Array.isArray(value)
    ? value.map((item: unknown) => `- ${isNested(item) ? blockOf(item, `${indent}  `) : scalarOf(item)}`).join(indent)
    : Object.entries(value)
        .map(([key, member]: readonly [string, unknown]) => `${textOf(key)}:${memberOf(member, `${indent}  `)}`)
        .join(indent);

const memberOf = (value: unknown, indent: string): string =>
  isNested(value) ? indent + blockOf(value, indent) : ` ${scalarOf(value)}`;

/**
 * A value of JSON as YAML, in blocks and without anchors. A library that writes all of YAML would keep the process from all
 * else for some tenths of a second when the description of the API is first asked for.
 */
export const yamlOf = (value: unknown): string => `${isNested(value) ? blockOf(value, '\n') : scalarOf(value)}\n`;
