import createClient from 'openapi-fetch';
import type { Answer, MakeClient } from '../client.js';
import type { components, paths } from './made/api.js';
import { websitesIn } from './made/narrows.js';

type Fetched<A> = { readonly data?: A; readonly error?: components['schemas']['Error']; readonly response: Response };

const answer = <A, B>({ data, error, response }: Fetched<A>, take: (data: A) => B): Answer<B> =>
  data === undefined ? { ok: false, status: response.status, code: error?.code } : { ok: true, value: take(data) };

const same = <A>(data: A): A => data;

const formOf = (fields: object): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
};

export const makeClient: MakeClient = (address, token) => {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const api = createClient<paths, 'application/json'>({ baseUrl: address, headers });
  return {
    create: async (name, key) => {
      const header = key === undefined ? {} : { 'Idempotency-Key': key };
      return answer(await api.POST('/api/v1/business', { params: { header }, body: { name, city: 'Berlin' } }), same);
    },
    get: async (businessId) =>
      answer(await api.GET('/api/v1/business/{businessId}', { params: { path: { businessId } } }), same),
    list: async (name, limit, after) => {
      const got = await api.GET('/api/v1/business', { params: { query: { name, limit, after } } });
      return answer(got, (businesses) => ({ businesses, link: got.response.headers.get('Link') }));
    },
    update: async (businessId, revision, website) => {
      const params = { path: { businessId }, header: { 'If-Match': `"${revision}"` } };
      return answer(await api.PUT('/api/v1/business/{businessId}', { params, body: { website, city: null } }), same);
    },
    createDocument: async (name) => answer(await api.POST('/api/v1/document', { body: { name } }), same),
    createByForm: async (name, file) =>
      answer(
        await api.POST('/api/v1/document', {
          // reason: a file is a string to the types that are generated
          body: { name, file: file as unknown as string },
          bodySerializer: (body) => formOf(body),
        }),
        same,
      ),
    putFile: async (documentId, file, originalName) =>
      answer(
        await api.PUT('/api/v1/document/{documentId}/file', {
          params: { path: { documentId }, query: { originalName } },
          headers: { 'Content-Type': 'application/octet-stream' },
          // reason: a file is a string to the types that are generated
          body: file as unknown as string,
          bodySerializer: same,
        }),
        same,
      ),
    download: async (documentId) =>
      answer(
        await api.GET('/api/v1/document/{documentId}/file', {
          params: { path: { documentId } },
          parseAs: 'arrayBuffer',
        }),
        same,
      ),
    websitesSet: async (businessId) =>
      answer(await api.GET('/api/v1/business/{businessId}/events', { params: { path: { businessId } } }), websitesIn),
    ledger: async (entity) => answer(await api.GET('/audit/v1/events', { params: { query: { entity } } }), same),
  };
};
