import { either as E } from 'fp-ts';
import type { EntityReads } from '../../../read/entity-reads.js';
import type { AsOf } from '../../../read/history.js';
import type { FileVersion } from '../../../read/queries.js';
import type { Granted } from '../../link/links.js';
import type { Failure } from '../../problem/failure.js';
import { pageAdmission } from '../../record/page-admission.js';
import { readRecordRequest } from '../../record/read-record-request.js';
import { recordId } from '../../record/record-id.js';
import type { AuthorizedContext } from '../../request-context.js';
import type { HttpResponse } from '../../response/http-response.js';
import { answerFile, type FileReads, findVersion } from './get-file.js';

type LinkedFiles = FileReads & Pick<EntityReads<never>, 'newestRevision'>;

/**
 * The one file that a link is to: that which the document has now, or had then. The link names its revision, and so stays
 * with it when another file replaces it.
 */
export const grantFile =
  (reads: LinkedFiles) =>
  async (request: AuthorizedContext, asOf: AsOf): Promise<E.Either<Failure, Granted>> => {
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const version = await findVersion(reads)(id.right, asOf, pageAdmission(request));
    if (E.isLeft(version)) return version;
    const { file, revision } = version.right;
    return file === null
      ? E.left({ _tag: 'FileNotFound' })
      : E.right({ record: id.right, query: { revision: revision.toString() } });
  };

const isOf = (asOf: AsOf, { revision }: FileVersion): boolean =>
  asOf._tag === 'AtRevision' && asOf.revision === revision;

/**
 * The file of a link: pages of any origin may show it, and no cache keeps it. Of a deleted document there is none, though
 * its earlier files stay readable for who may read its history.
 */
export const getLinkedFile =
  (reads: LinkedFiles) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure, HttpResponse>> => {
    const wanted = readRecordRequest(request);
    if (E.isLeft(wanted)) return wanted;
    const { id, asOf, conditions } = wanted.right;
    const find = findVersion(reads);
    const admitPage = pageAdmission(request);
    const current = await find(id, { _tag: 'Now' }, admitPage);
    if (E.isLeft(current)) return current;
    const version = isOf(asOf, current.right) ? current : await find(id, asOf, admitPage);
    if (E.isLeft(version)) return version;
    const answered = await answerFile(reads)(request, id, version.right, conditions);
    return E.map((response: HttpResponse) => ({
      ...response,
      cacheControl: 'no-store',
      crossOriginResourcePolicy: 'cross-origin' as const,
    }))(answered);
  };
