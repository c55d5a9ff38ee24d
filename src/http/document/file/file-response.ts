import type { IncomingMessage } from 'node:http';
import { either as E } from 'fp-ts';
import type { StoredFile } from '../../../domain/document/events.js';
import type { FileVersion } from '../../../read/queries.js';
import type { FileNotFound, RangeNotSatisfiable, TagNotMatched } from '../../problem/failure.js';
import { isHead, type RequestContext } from '../../request-context.js';
import type { Conditions } from '../../request/conditions.js';
import { conditionalResponse } from '../../response/conditional-response.js';
import type { HttpResponse } from '../../response/http-response.js';
import { selectBytes, type Selection } from './byte-range.js';
import { attachment } from './content-disposition.js';
import { type ContentFailure, type FileSource, openContent } from './open-content.js';
import { reprDigest } from './repr-digest.js';

type FileFailure = FileNotFound | TagNotMatched | RangeNotSatisfiable | ContentFailure;

/** Strong: the same bytes have the same tag, whatever document or revision they belong to. */
const fileTag = ({ sha256 }: StoredFile): string => `"${sha256}"`;

/** A page that was uploaded may do nothing, wherever a browser shows it. */
const contentSecurityPolicy = 'sandbox';

/**
 * A cache takes the headers of a 304 for those of what it has stored (RFC 9111 §3.2): one that has stored the file without
 * its digest learns it from them, and the policy must be the same.
 */
const notModified =
  (file: StoredFile) =>
  (response: HttpResponse): HttpResponse => ({
    ...response,
    contentSecurityPolicy,
    headers: [...(response.headers ?? []), 'Repr-Digest', reprDigest(file)],
  });

/** A range counts only where `If-Range` still names this file; HEAD has no ranges. */
const selectionOf = (file: StoredFile, { method, headers }: IncomingMessage): Selection => {
  const ifRange = headers['if-range'];
  const isApplicable = method === 'GET' && (ifRange === undefined || ifRange === fileTag(file));
  return selectBytes(isApplicable ? headers.range : undefined, file.size);
};

const respondWith = async (
  source: FileSource,
  request: RequestContext,
  documentId: string,
  file: StoredFile,
  selection: Exclude<Selection, { _tag: 'Unsatisfiable' }>,
): Promise<E.Either<ContentFailure, HttpResponse>> => {
  const range = selection._tag === 'Part' ? selection.range : undefined;
  const length = range === undefined ? file.size : range.last - range.first + 1;
  const headers = [
    ...['ETag', fileTag(file), 'Repr-Digest', reprDigest(file), 'Accept-Ranges', 'bytes'],
    ...['Content-Disposition', attachment(file.originalName)],
    ...(range === undefined ? [] : ['Content-Range', `bytes ${range.first}-${range.last}/${file.size}`]),
  ];
  const status = range === undefined ? 200 : 206;
  const response = { status, headers, contentType: file.mimeType, contentSecurityPolicy };
  const streamed = { ...response, headers: [...headers, 'Content-Length', String(length)] };
  if (isHead(request)) return E.right(streamed);
  const content = await openContent(source)(request.ctx.state, documentId, file, range);
  if (E.isLeft(content)) return content;
  const body = content.right;
  return E.right(Buffer.isBuffer(body) ? { ...response, body, isAcquired: true } : { ...streamed, body });
};

/**
 * The response with a document's file, or with a range of it (RFC 9110 §13, §14). A short file is read and checked before
 * the status is sent; a larger one is opened before, and read at the client's pace.
 */
export const fileResponse =
  (source: FileSource) =>
  async (
    request: RequestContext,
    documentId: string,
    { file }: FileVersion,
    conditions: Conditions,
  ): Promise<E.Either<FileFailure, HttpResponse>> => {
    if (file === null) return E.left({ _tag: 'FileNotFound' });
    const conditional = conditionalResponse(conditions, fileTag(file));
    if (conditional !== undefined) return E.map(notModified(file))(conditional);
    const selection = selectionOf(file, request.ctx.req);
    return selection._tag === 'Unsatisfiable'
      ? E.left({ _tag: 'RangeNotSatisfiable', size: file.size })
      : respondWith(source, request, documentId, file, selection);
  };
