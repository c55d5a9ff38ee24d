import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { either as E } from 'fp-ts';
import type { KoaContext } from '../request-context.js';
import { type BodyFailure, requestInvalid, type UnsupportedMediaType } from '../problem/failure.js';
import { bodyBytes } from './body-bytes.js';
import { charsetFault, codingFault, parametersOf, type TakenBody, unsupported } from './media-type.js';

/** Bytes of JSON that a request may bring. */
export const JSON_LIMIT = 256 * 1024;

const JSON_TYPE = /^application\/json[ \t]*(?=;|$)/i;

const JSON_ALONE: TakenBody = { accept: 'application/json', message: 'The body must be application/json' };

const UNREADABLE = 'The Content-Type must be application/json, and nothing unreadable';

/** Why a body of this type and coding is not taken; undefined when it is. */
const unsupportedJson = (headers: IncomingHttpHeaders, taken: TakenBody): UnsupportedMediaType | undefined => {
  const coded = codingFault(headers);
  if (coded !== undefined) return coded;
  const header = headers['content-type'] ?? '';
  const type = JSON_TYPE.exec(header)?.[0];
  if (type === undefined) return unsupported(taken);
  const parameters = parametersOf(header.slice(type.length));
  if (parameters === undefined) return unsupported({ ...taken, message: UNREADABLE });
  return charsetFault(parameters, taken);
};

/** How deep the lists and objects of a JSON text may be nested: a deep text costs its parser more than its length. */
const MOST_DEPTH = 100;

const [QUOTE, ESCAPE] = [0x22, 0x5c];

const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

const isTooDeep = (bytes: Buffer): boolean => {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length && depth <= MOST_DEPTH; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === ESCAPE ? 1 : 0;
    else if (isOpening(byte)) depth += 1;
    else if (isClosing(byte)) depth -= 1;
  }
  return depth > MOST_DEPTH;
};

/** The value of a JSON text in UTF-8; of duplicate keys the last wins. */
const parseJson = (bytes: Buffer): E.Either<BodyFailure, unknown> => {
  if (!isUtf8(bytes)) return E.left(requestInvalid({ path: '', message: 'must be valid UTF-8' }));
  if (isTooDeep(bytes))
    return E.left(requestInvalid({ path: '', message: `must not be nested deeper than ${MOST_DEPTH} levels` }));
  const text = bytes.toString('utf8');
  try {
    // A byte order mark is no part of the text (RFC 8259 §8.1 lets a reader pass over it).
    return E.right(JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text));
  } catch {
    return E.left(requestInvalid({ path: '', message: 'must be valid JSON' }));
  }
};

/**
 * The value that a request's JSON body holds; no body at all is `{}`. Size, media type, and only then the content. `taken`:
 * the bodies that the operation takes, where JSON is not the only one.
 */
export const jsonBody = async (ctx: KoaContext, taken = JSON_ALONE): Promise<E.Either<BodyFailure, unknown>> => {
  const bytes = await bodyBytes(ctx, JSON_LIMIT);
  if (E.isLeft(bytes)) return bytes;
  if (bytes.right.length === 0) return E.right({});
  const fault = unsupportedJson(ctx.req.headers, taken);
  return fault === undefined ? parseJson(bytes.right) : E.left(fault);
};

/** As `jsonBody`, for an optional body: one of another type, or that is not JSON, counts as none (undefined). */
export const lenientJsonBody = async (ctx: KoaContext): Promise<E.Either<BodyFailure, unknown>> => {
  const bytes = await bodyBytes(ctx, JSON_LIMIT);
  if (E.isLeft(bytes)) return bytes;
  if (bytes.right.length === 0 || unsupportedJson(ctx.req.headers, JSON_ALONE) !== undefined) return E.right(undefined);
  const parsed = parseJson(bytes.right);
  return E.right(E.isRight(parsed) ? parsed.right : undefined);
};
