// Answers for what s3rver 4.0.4 lacks: uploads in parts are neither listed nor aborted, the pages of a listing after the
// first need a cipher that OpenSSL 3 has dropped, and folders are not listed that have nothing but folders in them.
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import type { Store } from '@20minutes/s3rver';

const send = (response: ServerResponse, status: number, xml = ''): void => {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(xml);
};

/** The objects right in a folder, and the folders in it that have some below. */
const foldersIn = <A extends { readonly key: string }>(
  objects: ReadonlyArray<A>,
  prefix: string,
  delimiter: string,
) => {
  const endOf = (key: string): number => (delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length));
  const folded = objects.filter(({ key }) => endOf(key) >= 0).map(({ key }) => key.slice(0, endOf(key) + 1));
  return { direct: objects.filter(({ key }) => endOf(key) < 0), folders: [...new Set(folded)] };
};

const listObjects = async (store: Store, bucket: string, query: URLSearchParams, response: ServerResponse) => {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const { objects, isTruncated } = await store.listObjects(bucket, {
    prefix,
    startAfter: query.get('continuation-token') ?? query.get('start-after') ?? '',
    maxKeys: Number(query.get('max-keys') ?? 1000),
  });
  const { direct, folders } = foldersIn(objects, prefix, delimiter);
  const contents = direct.map(({ key, size, lastModifiedDate }) => {
    const modified = lastModifiedDate.toISOString();
    return `<Contents><Key>${key}</Key><LastModified>${modified}</LastModified><ETag/><Size>${size}</Size></Contents>`;
  });
  const prefixes = folders.map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`);
  const next = isTruncated ? `<NextContinuationToken>${objects.at(-1)?.key ?? ''}</NextContinuationToken>` : '';
  const result = `<IsTruncated>${String(isTruncated)}</IsTruncated>${next}${contents.join('')}${prefixes.join('')}`;
  send(response, 200, `<ListBucketResult>${result}</ListBucketResult>`);
};

const listUploads = async (directory: string, response: ServerResponse): Promise<void> => {
  const ids = await readdir(directory).catch(() => []);
  const uploads = ids.map(async (id) => {
    const key = await readFile(path.join(directory, id, 'key'), 'utf8');
    const { birthtime } = await stat(path.join(directory, id));
    return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${birthtime.toISOString()}</Initiated></Upload>`;
  });
  const result = `<IsTruncated>false</IsTruncated>${(await Promise.all(uploads)).join('')}`;
  send(response, 200, `<ListMultipartUploadsResult>${result}</ListMultipartUploadsResult>`);
};

const abortUpload = async (upload: string, response: ServerResponse): Promise<void> => {
  const isThere = await stat(upload).then(
    () => true,
    () => false,
  );
  await rm(upload, { recursive: true, force: true });
  if (isThere) send(response, 204);
  else send(response, 404, '<Error><Code>NoSuchUpload</Code></Error>');
};

/** True when the request was one that the server cannot answer, and has its answer from here. */
export const answerGap = (store: Store, request: IncomingMessage, response: ServerResponse): boolean => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
  const bucket = pathname.split('/')[1] ?? '';
  const uploads = store.getResourcePath(bucket, undefined, 'uploads');
  const id = searchParams.get('uploadId');
  if (request.method === 'GET' && searchParams.has('list-type'))
    void listObjects(store, bucket, searchParams, response);
  else if (request.method === 'GET' && searchParams.has('uploads')) void listUploads(uploads, response);
  else if (request.method === 'DELETE' && id !== null) void abortUpload(path.join(uploads, id), response);
  else return false;
  return true;
};
