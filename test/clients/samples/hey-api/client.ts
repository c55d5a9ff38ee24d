import type { Answer, MakeClient } from '../client.js';
import { createClient } from './made/api/client/index.js';
import * as sdk from './made/api/sdk.gen.js';
import { websitesIn } from './made/narrows.js';

type Sent<A> = { readonly data?: A; readonly error?: unknown; readonly response?: Response };

const answer = <A, B>({ data, error, response }: Sent<A>, take: (data: A) => B): Answer<B> =>
  data === undefined
    ? { ok: false, status: response?.status ?? 0, code: codeOf(error) }
    : { ok: true, value: take(data) };

/** The errors of a call are a union, of which one, for a client that was not understood, has another form. */
const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;

const same = <A>(data: A): A => data;

export const makeClient: MakeClient = (address, token) => {
  const client = createClient({ baseUrl: address, auth: token });
  return {
    create: async (name, key) => {
      const headers = key === undefined ? {} : { 'Idempotency-Key': key };
      return answer(await sdk.createBusiness({ client, headers, body: { name, city: 'Berlin' } }), same);
    },
    get: async (businessId) => answer(await sdk.getBusiness({ client, path: { businessId } }), same),
    list: async (name, limit, after) => {
      const got = await sdk.listBusinesses({ client, query: { name, limit, after } });
      return answer(got, (businesses) => ({ businesses, link: got.response?.headers.get('Link') ?? null }));
    },
    update: async (businessId, revision, website) => {
      const headers = { 'If-Match': `"${revision}"` };
      const body = { website, city: null };
      return answer(await sdk.updateBusiness({ client, path: { businessId }, headers, body }), same);
    },
    createDocument: async (name) => answer(await sdk.createDocument({ client, body: { name } }), same),
    createByForm: { cannot: 'of two media types it writes JSON alone' },
    putFile: async (documentId, body, originalName) =>
      answer(await sdk.putDocumentFile({ client, path: { documentId }, query: { originalName }, body }), same),
    download: async (documentId) => {
      const file = answer(await sdk.getDocumentFile({ client, path: { documentId }, parseAs: 'blob' }), same);
      return file.ok ? { ok: true, value: await file.value.arrayBuffer() } : file;
    },
    websitesSet: async (businessId) =>
      answer(await sdk.listBusinessEvents({ client, path: { businessId } }), websitesIn),
    ledger: async (entity) => answer(await sdk.listAllEvents({ client, query: { entity } }), same),
  };
};
