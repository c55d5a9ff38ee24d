// A server that speaks as much of S3's protocol as the adapter does, in memory, for a bucket with object lock: no free
// server has it all. Signatures are not checked. https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { S3Config } from '../../src/config.js';

/** `content` is missing where the version is a mark that the object was deleted. */
type Version = { readonly id: string; readonly content?: Buffer; readonly isHeld: boolean };

type Reply = { readonly status: number; readonly body?: string | Buffer; readonly headers?: http.OutgoingHttpHeaders };

type Asked = {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
};

/** A bucket with object lock, which answers requests about it and has no server of its own. */
type LockedS3Bucket = {
  readonly answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
  /** All versions of an object, the newest first. */
  readonly versionsOf: (key: string) => ReadonlyArray<Version>;
  /** Stores a new version as somebody else would. */
  readonly plant: (key: string, content: string) => Promise<void>;
  readonly takeBack: (key: string) => Promise<void>;
};

type LockedS3Server = Omit<LockedS3Bucket, 'answer'> & {
  readonly settings: S3Config;
  readonly stop: () => Promise<void>;
  readonly listen: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const refusal = (status: number, code: string): Reply => ({
  status,
  body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
});

const md5 = (bytes: Buffer, encoding: 'base64' | 'hex'): string => createHash('md5').update(bytes).digest(encoding);

class LockedBucket {
  readonly #rule: string;
  readonly #objects = new Map<string, Array<Version>>();
  readonly #uploads = new Map<string, { readonly key: string; readonly parts: Map<string, Buffer> }>();

  constructor(hasDefault: boolean) {
    const retention = '<Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>30</Days></DefaultRetention></Rule>';
    this.#rule = hasDefault ? retention : '';
  }

  versionsOf(key: string): ReadonlyArray<Version> {
    return this.#objects.get(key) ?? [];
  }

  store(key: string, version: Omit<Version, 'id'>): Version {
    const stored = { id: randomUUID(), ...version };
    this.#objects.set(key, [stored, ...this.versionsOf(key)]);
    return stored;
  }

  answer(asked: Asked): Reply {
    const { method, key, query } = asked;
    if (key === '') return this.#ofBucket(asked);
    if (method === 'POST' && query.has('uploads')) return this.#begin(key);
    if (query.has('uploadId')) return this.#ofUpload(asked);
    if (method === 'PUT') return this.#put(asked);
    return method === 'DELETE' ? this.#remove(asked) : this.#get(asked);
  }

  #ofBucket({ method, query }: Asked): Reply {
    if (method !== 'GET') return { status: 200 };
    if (query.has('object-lock'))
      return {
        status: 200,
        body: `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>${this.#rule}</ObjectLockConfiguration>`,
      };
    if (query.has('uploads'))
      return {
        status: 200,
        body: '<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>',
      };
    return query.has('versions') ? this.#listVersions(query) : this.#listObjects(query);
  }

  #begin(key: string): Reply {
    const id = randomUUID();
    this.#uploads.set(id, { key, parts: new Map() });
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }

  #ofUpload({ method, query, headers, body }: Asked): Reply {
    const id = query.get('uploadId') ?? '';
    const upload = this.#uploads.get(id);
    if (upload === undefined) return refusal(404, 'NoSuchUpload');
    if (method === 'PUT') {
      if (headers['content-md5'] !== md5(body, 'base64')) return refusal(400, 'InvalidRequest');
      upload.parts.set(query.get('partNumber') ?? '', body);
      return { status: 200, headers: { etag: `"${md5(body, 'hex')}"` } };
    }
    this.#uploads.delete(id);
    if (method === 'DELETE') return { status: 204 };
    this.store(upload.key, { content: Buffer.concat([...upload.parts.values()]), isHeld: false });
    return {
      status: 200,
      body: `<CompleteMultipartUploadResult><Location>x</Location><ETag>"x"</ETag></CompleteMultipartUploadResult>`,
    };
  }

  #put({ key, headers, body }: Asked): Reply {
    if (headers['content-md5'] !== md5(body, 'base64')) return refusal(400, 'InvalidRequest');
    this.store(key, { content: body, isHeld: headers['x-amz-object-lock-legal-hold'] === 'ON' });
    return { status: 200, headers: { etag: `"${md5(body, 'hex')}"` } };
  }

  #remove({ key, query }: Asked): Reply {
    const id = query.get('versionId');
    const version = this.versionsOf(key).find((one) => one.id === id);
    if (id === null) this.store(key, { isHeld: false });
    else if (version?.isHeld === true || this.#rule !== '') return refusal(403, 'AccessDenied');
    else
      this.#objects.set(
        key,
        this.versionsOf(key).filter((one) => one.id !== id),
      );
    return { status: 204 };
  }

  #get({ key, query, headers }: Asked): Reply {
    const [newest] = this.versionsOf(key);
    const id = query.get('versionId');
    const content = (id === null ? newest : this.versionsOf(key).find((one) => one.id === id))?.content;
    if (content === undefined) return refusal(404, id === null ? 'NoSuchKey' : 'NoSuchVersion');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    if (first === undefined) return { status: 200, body: content, headers: { etag: `"${md5(content, 'hex')}"` } };
    const part = content.subarray(Number(first), Number(last) + 1);
    return { status: 206, body: part, headers: { 'content-range': `bytes ${first}-${last}/${content.length}` } };
  }

  /** Keys below a prefix after another, in their order, as many as fit on the page; those of a folder are one. */
  #page(
    query: URLSearchParams,
    after: string,
  ): {
    readonly keys: ReadonlyArray<string>;
    readonly folders: ReadonlyArray<string>;
    readonly next: string | undefined;
  } {
    const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
    const folderOf = (key: string): string | undefined => {
      const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      return end < 0 ? undefined : key.slice(0, end + 1);
    };
    const [keys, folders] = [new Array<string>(), new Set<string>()];
    for (const key of [...this.#objects.keys()].sort()) {
      if (!key.startsWith(prefix) || key <= after || folderOf(key) === after) continue;
      const folder = folderOf(key);
      const isNew = folder === undefined || !folders.has(folder);
      if (isNew && keys.length + folders.size === Number(query.get('max-keys') ?? 1000))
        return { keys, folders: [...folders], next: [...keys, ...folders].sort().at(-1) };
      if (folder === undefined) keys.push(key);
      else folders.add(folder);
    }
    return { keys, folders: [...folders], next: undefined };
  }

  #listObjects(query: URLSearchParams): Reply {
    const { keys, folders, next } = this.#page(
      query,
      query.get('continuation-token') ?? query.get('start-after') ?? '',
    );
    const contents = keys.flatMap((key) => {
      const content = this.versionsOf(key)[0]?.content;
      const modified = new Date().toISOString();
      return content === undefined
        ? []
        : [
            `<Contents><Key>${key}</Key><LastModified>${modified}</LastModified><Size>${content.length}</Size></Contents>`,
          ];
    });
    const token = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
    return listing('ListBucketResult', next, token, contents, folders);
  }

  #listVersions(query: URLSearchParams): Reply {
    const { keys, folders, next } = this.#page(query, query.get('key-marker') ?? '');
    const contents = keys.flatMap((key) =>
      this.versionsOf(key).map(({ id, content }) => {
        const tag = content === undefined ? 'DeleteMarker' : 'Version';
        return `<${tag}><Key>${key}</Key><VersionId>${id}</VersionId></${tag}>`;
      }),
    );
    const marker = next === undefined ? '' : `<NextKeyMarker>${encodeURIComponent(next)}</NextKeyMarker>`;
    return listing('ListVersionsResult', next, marker, contents, folders);
  }
}

const listing = (
  name: string,
  next: string | undefined,
  marker: string,
  contents: ReadonlyArray<string>,
  folders: ReadonlyArray<string>,
): Reply => {
  const prefixes = folders.map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`);
  const all = [`<IsTruncated>${String(next !== undefined)}</IsTruncated>`, marker, ...contents, ...prefixes].join('');
  return { status: 200, body: `<${name}>${all}</${name}>` };
};

/** Such a bucket, which has a default retention or not. */
export const makeLockedS3Bucket = (hasDefault: boolean): LockedS3Bucket => {
  const bucket = new LockedBucket(hasDefault);
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://s3');
    const [, , ...segments] = pathname.split('/');
    const { method = '', headers } = request;
    const asked = { method, key: decodeURIComponent(segments.join('/')), query, headers, body: await buffer(request) };
    const { status, body = '', headers: own = {} } = bucket.answer(asked);
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...own });
    response.end(method === 'HEAD' ? undefined : body);
  };
  return {
    answer: (request, response) => void answer(request, response),
    versionsOf: (key) => bucket.versionsOf(key),
    plant: (key, content) => {
      bucket.store(key, { content: Buffer.from(content), isHeld: false });
      return Promise.resolve();
    },
    takeBack: (key) => {
      bucket.store(key, { isHeld: false });
      return Promise.resolve();
    },
  };
};

/** Starts a server that has such a bucket alone. */
export const startLockedS3Server = async (hasDefault: boolean): Promise<LockedS3Server> => {
  const { answer, ...bucket } = makeLockedS3Bucket(hasDefault);
  const server = http.createServer(answer);
  const listen = async (port: number): Promise<void> => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  await listen(0);
  // reason: a server that listens on TCP has an address of this form
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    settings: {
      ...{ endpoint: `http://127.0.0.1:${port}`, bucket: 'locked', region: 'us-east-1' },
      ...{ accessKey: 'any', secretKey: 'any' },
    },
    ...bucket,
    stop,
    listen: () => listen(port),
    close: async () => {
      if (server.listening) await stop();
    },
  };
};
