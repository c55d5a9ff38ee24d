import { either as E, option as O } from 'fp-ts';
import type { EntityReads } from '../../../read/entity-reads.js';
import type { AdmitPage } from '../../../read/admit-page.js';
import type { GetFile } from '../../../read/get-file.js';
import type { AsOf } from '../../../read/history.js';
import type { FileVersion } from '../../../read/queries.js';
import type { Conditions } from '../../request/conditions.js';
import { type RequestContext, isHead } from '../../request-context.js';
import type { Failure } from '../../problem/failure.js';
import { readRecordRequest } from '../../record/read-record-request.js';
import { pageAdmission } from '../../record/page-admission.js';
import { stateAbsent } from '../../record/state-absent.js';
import type { HttpResponse } from '../../response/http-response.js';
import { fileResponse } from './file-response.js';
import type { FileSource } from './open-content.js';

/** A file of at most this many bytes is sent at once, and takes no place. */
const SHORT = 64 * 1024;

export type FileReads = { readonly getFile: GetFile; readonly files: FileSource };

/** Answers a file that was found, a long one in its turn. */
export const answerFile =
  ({ files }: Pick<FileReads, 'files'>) =>
  async (
    request: RequestContext,
    id: string,
    version: FileVersion,
    conditions: Conditions,
  ): Promise<E.Either<Failure, HttpResponse>> => {
    const { file } = version;
    const isLong = file !== null && file.size > SHORT && !isHead(request);
    if (isLong && !(await request.ctx.state.acquire('files'))) return E.left({ _tag: 'Overloaded' });
    return fileResponse(files)(request, id, version, conditions);
  };

/** The file that a document has now, or had then; left where there is no document, or was none then. */
export const findVersion =
  ({ getFile: find, newestRevision }: Pick<FileReads, 'getFile'> & Pick<EntityReads<never>, 'newestRevision'>) =>
  async (id: string, asOf: AsOf, admitPage: AdmitPage): Promise<E.Either<Failure, FileVersion>> => {
    const version = await find(id, asOf, admitPage);
    if (E.isLeft(version)) return version;
    return O.isNone(version.right) ? stateAbsent({ newestRevision }, id, asOf) : E.right(version.right.value);
  };

/** GET of a document's file: the one it has now, or had at a revision or an instant. */
export const getFile =
  (reads: FileReads & Pick<EntityReads<never>, 'newestRevision'>) =>
  async (request: RequestContext): Promise<E.Either<Failure, HttpResponse>> => {
    const wanted = readRecordRequest(request);
    if (E.isLeft(wanted)) return wanted;
    const { id, asOf, conditions } = wanted.right;
    const version = await findVersion(reads)(id, asOf, pageAdmission(request));
    return E.isLeft(version) ? version : answerFile(reads)(request, id, version.right, conditions);
  };
