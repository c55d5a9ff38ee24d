import type { IncomingHttpHeaders } from 'node:http';
import type { UnsupportedMediaType } from '../problem/failure.js';

/** The bodies that an operation takes: their media types, and what one of another type is told. */
export type TakenBody = { readonly accept: string; readonly message: string };

/** Why a body is not read that is not of the types that the operation takes, or not as these have to be. */
export const unsupported = ({ accept, message }: TakenBody): UnsupportedMediaType => ({
  _tag: 'UnsupportedMediaType',
  message,
  takes: ['Accept', accept],
});

/** What stands between the semicolons that are not within quotation marks; an unclosed quotation goes to the end. */
const splitAtSemicolons = (text: string): ReadonlyArray<string> =>
  (text.match(/(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []).map((part) => part.trim());

/**
 * A parameter of a media type. A value without quotation marks may hold any character but `;` and `"`: clients send
 * boundaries such as `----=_Part_1_2.3` and `===17===`, which RFC 9110 §5.6.6 would have them quote.
 */
const parameterOf = (text: string): readonly [string, string] | undefined => {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(equals, 0)).trim().toLowerCase();
  const value = text.slice(equals + 1).trim();
  if (name === '' || /[\s"]/.test(name)) return undefined;
  if (!value.includes('"')) return [name, value];
  return /^"(?:[^"\\]|\\.)*"$/.test(value) ? [name, value.slice(1, -1).replace(/\\(.)/g, '$1')] : undefined;
};

/**
 * The parameters behind a media type by their names in lower case, as often as they come; undefined where one of them
 * cannot be read. A `;` without a parameter is legal (RFC 9110 §5.6.6).
 */
export const parametersOf = (text: string): ReadonlyArray<readonly [string, string]> | undefined => {
  const read = splitAtSemicolons(text)
    .filter((part) => part !== '')
    .map(parameterOf);
  const parameters = read.filter((parameter) => parameter !== undefined);
  return parameters.length < read.length ? undefined : parameters;
};

/** Two tokens (RFC 9110 §5.6.2); a range of types, as `text/*`, is no type. */
const TYPE = /^[\w!#$%&'+.^`|~-]+\/[\w!#$%&'+.^`|~-]+(?=[ \t]*(?:;|$))/;

/** The media type of a `Content-Type`, without its parameters; undefined where there is none that can be read. */
export const typeOf = (header: string): string | undefined => TYPE.exec(header)?.[0];

const COMPRESSED: UnsupportedMediaType = {
  _tag: 'UnsupportedMediaType',
  message: 'The body must not be compressed',
  takes: ['Accept-Encoding', 'identity'],
};

/** Why a body with this `Content-Encoding` is not read: it must not be compressed. */
export const codingFault = ({ 'content-encoding': coding = 'identity' }: IncomingHttpHeaders) =>
  coding.toLowerCase() === 'identity' ? undefined : COMPRESSED;

/** Whether content in this `Content-Transfer-Encoding` is as it is sent (RFC 7578 §4.7). */
export const isSentAsIs = (encoding: string): boolean => /^(?:7bit|8bit|binary)$/i.test(encoding);

/** Whether texts in this charset are read as what they are: UTF-8, and ASCII as a part of it. */
export const isUtf8Charset = (charset: string): boolean => /^(?:utf-?8|us-ascii|ascii)$/i.test(charset);

/** Why a body with these parameters is not read: texts are in UTF-8 alone. */
export const charsetFault = (
  parameters: ReadonlyArray<readonly [string, string]>,
  { accept }: Pick<TakenBody, 'accept'>,
): UnsupportedMediaType | undefined =>
  parameters.some(([name, value]) => name === 'charset' && !isUtf8Charset(value))
    ? unsupported({ accept, message: 'The charset must be UTF-8' })
    : undefined;
