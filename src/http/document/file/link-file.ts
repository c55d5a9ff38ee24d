import { either as E } from 'fp-ts';
import type { EntityReads } from '../../../read/entity-reads.js';
import type { AdmitPage } from '../../../read/admit-page.js';
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

const isOf = (asOf: AsOf, { revision }: FileVersion): boolean =>
  asOf._tag === 'Now' || (asOf._tag === 'AtRevision' && asOf.revision === revision);

/** A version of a file that a link may lead to. Of a deleted document there is none, though who may read its history finds it. */
const findLinkable =
  (reads: LinkedFiles) =>
  async (id: string, asOf: AsOf, admitPage: AdmitPage): Promise<E.Either<Failure, FileVersion>> => {
    const find = findVersion(reads);
    const current = await find(id, { _tag: 'Now' }, admitPage);
    return E.isLeft(current) || isOf(asOf, current.right) ? current : find(id, asOf, admitPage);
  };

/**
 * The one file that a link is to: that which the document has now, or had then. The link names its revision, and so stays
 * with it when another file replaces it.
 */
export const grantFile =
  (reads: LinkedFiles) =>
  async (request: AuthorizedContext, asOf: AsOf): Promise<E.Either<Failure, Granted>> => {
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const version = await findLinkable(reads)(id.right, asOf, pageAdmission(request));
    if (E.isLeft(version)) return version;
    const { file, revision } = version.right;
    return file === null
      ? E.left({ _tag: 'FileNotFound' })
      : E.right({ record: id.right, query: { revision: revision.toString() } });
  };

/** The file of a link: pages of any origin may show it, and no cache keeps it. */
export const getLinkedFile =
  (reads: LinkedFiles) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure, HttpResponse>> => {
    const wanted = readRecordRequest(request);
    if (E.isLeft(wanted)) return wanted;
    const { id, asOf, conditions } = wanted.right;
    const version = await findLinkable(reads)(id, asOf, pageAdmission(request));
    if (E.isLeft(version)) return version;
    const answered = await answerFile(reads)(request, id, version.right, conditions);
    return E.map((response: HttpResponse) => ({
      ...response,
      cacheControl: 'no-store',
      crossOriginResourcePolicy: 'cross-origin' as const,
    }))(answered);
  };
