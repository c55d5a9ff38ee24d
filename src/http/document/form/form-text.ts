import { requestInvalid, type RequestInvalid } from '../../problem/failure.js';
import type { Fault } from '../../problem/problem.js';

/**
 * The parser puts this character where bytes are not UTF-8. A valid text that contains it is refused too, as the two look
 * alike; JSON takes it.
 */
const REPLACED = '\ufffd';

export const isReplaced = (text: string): boolean => text.includes(REPLACED);

/** The part `file` has content and no file name. The parser drops its content, so the form is refused. */
export const NAMELESS = requestInvalid({ path: 'file', message: 'must have a file name' });

const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, part]) => [key, ...textsOf(part)])
    : [];
};

/** What is wrong with the texts of a form, whatever their fields are; undefined when nothing is. */
export const formTextFault = (fields: object): RequestInvalid | undefined => {
  const faults = Object.entries(fields).flatMap(([path, value]): ReadonlyArray<Fault> => {
    if ([path, ...textsOf(value)].some(isReplaced)) return [{ path, message: 'must be valid UTF-8' }];
    // a part named `file` without a file name is a field to the parser
    return path === 'file' && value !== '' ? NAMELESS.errors : [];
  });
  return faults.length === 0 ? undefined : requestInvalid(...faults);
};
