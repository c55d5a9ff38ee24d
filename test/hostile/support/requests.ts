import { FORM_TYPE } from '../../support/multipart-form.js';
import type { NormalRequest } from './normal-client.js';
import { type Seeded, SMALL } from './seed.js';

export const API = '/api/v1';

/** Tokens by role; `somebody` is an editor who sends nothing hostile. */
export type Tokens = Readonly<Record<'viewer' | 'auditor' | 'editor' | 'somebody', string>>;

const HOST = 'Host: 127.0.0.1\r\n';

/** The text of a GET; without a token where none is given. */
export const getText = (path: string, token?: string): string =>
  `GET ${path} HTTP/1.1\r\n${HOST}${token === undefined ? '' : `Authorization: Bearer ${token}\r\n`}\r\n`;

/** The head of a request whose body comes in chunks. */
export const chunkedHead = (method: string, path: string, token: string, contentType: string): string =>
  `${method} ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n` +
  `Content-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** The head of a request that announces the length of its body. */
export const sizedHead = (method: string, path: string, token: string, contentType: string, length: number): string =>
  `${method} ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n` +
  `Content-Type: ${contentType}\r\nContent-Length: ${length}\r\n\r\n`;

/** One chunk of a body (RFC 9112 §7.1). */
export const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const BOUNDARY = FORM_TYPE.slice(FORM_TYPE.indexOf('=') + 1);

/** The beginning of a part of a form, as far as its content. */
export const partHead = (name: string, filename?: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"` +
  `${filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/octet-stream`}\r\n\r\n`;

/** What a normal client sends, and what it asks of the routes that stream. */
export const normalRequests = (seeded: Seeded, tokens: Tokens): ReadonlyArray<NormalRequest> => {
  const as = (role: keyof Tokens) => ({ Authorization: `Bearer ${tokens[role]}` });
  const write = (role: keyof Tokens) => ({ headers: { ...as(role), 'Content-Type': 'application/json' } });
  // large enough to take of the budget, as small answers and bodies do not
  const large = JSON.stringify({ name: 'large', ignored: 'x'.repeat(64 * 1024) });
  const body = (count: number): string =>
    JSON.stringify({ name: `normal ${count} ${performance.now()}`, businessType: SMALL });
  const get = (name: string, path: string, role: keyof Tokens): NormalRequest => ({
    name,
    method: 'GET',
    path,
    headers: as(role),
  });
  return [
    get('GET by id', `${API}/business/${seeded.business}`, 'viewer'),
    get('page', `${API}/business?businessType=${SMALL}&limit=10`, 'viewer'),
    { name: 'POST', method: 'POST', path: `${API}/business`, ...write('editor'), body },
    { name: 'POST of 64 KiB', method: 'POST', path: `${API}/business`, ...write('somebody'), body: () => large },
    { name: 'PUT', method: 'PUT', path: `${API}/business/${seeded.business}`, ...write('editor'), body },
    get('list', `${API}/document?uploadedBy=nobody`, 'viewer'),
    get('events', `${API}/business/${seeded.quietBusiness}/events`, 'auditor'),
    get('file', `${API}/document/${seeded.document}/file`, 'viewer'),
    get('docs', '/docs/swagger-ui.css', 'viewer'),
  ];
};

type Stream = { readonly name: string; readonly path: string; readonly needs: 'nothing' | 'viewer' | 'auditor' };

/** Every route whose answer is large or streamed: lists, pages, histories, records, files and pages of documentation. */
export const streams = (seeded: Seeded): ReadonlyArray<Stream> => {
  const { owned, longOwned, longBusiness, longDocument, largeFile } = seeded;
  return [
    { name: 'businesses', path: `${API}/business`, needs: 'viewer' },
    { name: 'documents', path: `${API}/document`, needs: 'viewer' },
    { name: 'page of businesses', path: `${API}/business?limit=1000`, needs: 'viewer' },
    { name: 'page of documents', path: `${API}/document?limit=1000`, needs: 'viewer' },
    { name: 'events of a business', path: `${API}/business/${longBusiness}/events`, needs: 'auditor' },
    { name: 'page of events', path: `${API}/document/${longDocument}/events?limit=1000`, needs: 'auditor' },
    { name: 'fifty long events', path: `${API}/document/${longDocument}/events?limit=50&proof=true`, needs: 'auditor' },
    { name: 'events of a document', path: `${API}/document/${longDocument}/events`, needs: 'auditor' },
    { name: 'record', path: `${API}/business/${owned}`, needs: 'viewer' },
    { name: 'largest record', path: `${API}/business/${longOwned}`, needs: 'viewer' },
    { name: 'past record', path: `${API}/business/${owned}?revision=9000`, needs: 'auditor' },
    { name: 'file', path: `${API}/document/${largeFile}/file`, needs: 'viewer' },
    { name: 'docs', path: '/docs/swagger-ui-bundle.js', needs: 'nothing' },
    { name: 'openapi', path: '/openapi.json', needs: 'nothing' },
    { name: 'openapi as YAML', path: '/openapi.yaml', needs: 'nothing' },
  ];
};
