import type { IncomingMessage } from 'node:http';
import { either as E } from 'fp-ts';
import { isBlank, isPlainText, TEXT_LIMIT } from '../fields/text.js';
import type { Fault } from '../problem/problem.js';
import { readExtendedValue } from './extended-value.js';

const fault: Fault = {
  path: 'Change-Reason',
  message:
    `must be 1 to ${TEXT_LIMIT} characters, none of them a control character, once: visible ASCII and spaces, or UTF-8'' ` +
    'and percent-encoded as in RFC 8187',
};

const PLAIN = /^[ -~]*$/;
const BEGINS_ENCODED = /^utf-8'/i;

/** A header that begins as an encoded one does is never taken for a plain one. Undefined for bytes that are no UTF-8. */
const decode = (header: string): string | undefined => {
  if (!BEGINS_ENCODED.test(header)) return PLAIN.test(header) ? header.trim() : undefined;
  const read = readExtendedValue(header);
  // a language is not taken: nothing would keep it
  return read?.language === '' ? read.text : undefined;
};

/** DEL and the C1 control characters, which other texts may contain: a reason is read as one line. */
const CONTROL = /[\u007f-\u009f]/;

const isReason = (text: string): boolean => !isBlank(text) && isPlainText(text, TEXT_LIMIT) && !CONTROL.test(text);

/** Why a command is given, by the header `Change-Reason`; undefined where there is none. */
export const reasonOf = (
  request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
): E.Either<Fault, string | undefined> => {
  if (request.headers['change-reason'] === undefined) return E.right(undefined);
  const [header = '', ...others] = request.headersDistinct['change-reason'] ?? [];
  const reason = others.length === 0 ? decode(header) : undefined;
  return reason !== undefined && isReason(reason) ? E.right(reason) : E.left(fault);
};
