import type { IncomingMessage } from 'node:http';
import { either as E } from 'fp-ts';
import type { StoredFile } from '../../../domain/document/events.js';
import type { PreconditionFailed } from '../../../event-sourcing/command/command-call.js';
import type { FileContents, OpenFailure } from '../../../read/get-file.js';
import type { FileVersion } from '../../../read/queries.js';
import type { EntityNotFound, RangeNotSatisfiable } from '../../problem/failure.js';
import type { Conditions } from '../../request/conditions.js';
import { conditionalResponse } from '../../response/conditional-response.js';
import type { HttpResponse } from '../../response/http-response.js';
import { selectBytes, type Selection } from './byte-range.js';
import { attachment } from './content-disposition.js';
import { exactly } from './exactly.js';

type FileFailure = EntityNotFound | PreconditionFailed | RangeNotSatisfiable | OpenFailure;

/** Strong: the same bytes have the same tag, whatever document or revision they belong to. */
const fileTag = ({ sha256 }: StoredFile): string => `"${sha256}"`;

/** A range counts only where `If-Range` still names this file; HEAD has no ranges. */
const selectionOf = (file: StoredFile, { method, headers }: IncomingMessage): Selection => {
  const ifRange = headers['if-range'];
  const isApplicable = method === 'GET' && (ifRange === undefined || ifRange === fileTag(file));
  return selectBytes(isApplicable ? headers.range : undefined, file.size);
};

const respondWith = async (
  { method }: IncomingMessage,
  file: StoredFile,
  open: FileContents['open'],
  selection: Exclude<Selection, { _tag: 'Unsatisfiable' }>,
): Promise<E.Either<OpenFailure, HttpResponse>> => {
  const range = selection._tag === 'Part' ? selection.range : undefined;
  const length = range === undefined ? file.size : range.last - range.first + 1;
  const headers = [
    ...['ETag', fileTag(file), 'Accept-Ranges', 'bytes', 'Content-Length', String(length)],
    ...['Content-Disposition', attachment(file.originalName)],
    ...(range === undefined ? [] : ['Content-Range', `bytes ${range.first}-${range.last}/${file.size}`]),
  ];
  const status = range === undefined ? 200 : 206;
  const response = { status, headers, contentType: file.mimeType, contentSecurityPolicy: 'sandbox' };
  if (method === 'HEAD') return E.right(response);
  const opened = await open(file.key, range);
  return E.isLeft(opened) ? opened : E.right({ ...response, body: exactly(opened.right, length) });
};

/**
 * The response with a document's file, or with a range of it (RFC 9110 §13, §14). The object is opened before the status
 * is sent, and read at the client's pace.
 */
export const fileResponse =
  (open: FileContents['open']) =>
  async (
    { file, revision }: FileVersion,
    request: IncomingMessage,
    conditions: Conditions,
  ): Promise<E.Either<FileFailure, HttpResponse>> => {
    if (file === null) return E.left({ _tag: 'EntityNotFound' });
    const conditional = conditionalResponse(conditions, fileTag(file), revision);
    if (conditional !== undefined) return conditional;
    const selection = selectionOf(file, request);
    return selection._tag === 'Unsatisfiable'
      ? E.left({ _tag: 'RangeNotSatisfiable', size: file.size })
      : respondWith(request, file, open, selection);
  };
