import type { Answer, MakeClient } from '../client.js';
import * as api from './made/api.js';
import { websitesIn } from './made/narrows.js';

type Sent = { readonly status: number; readonly data?: unknown };
type Good<R> = Extract<R, { readonly status: 200 }>;

const answer = <R extends Sent, B>(sent: R, take: (good: Good<R>) => B): Answer<B> =>
  sent.status === 200
    ? // reason: a type parameter is not narrowed by one of its members
      { ok: true, value: take(sent as Good<R>) }
    : { ok: false, status: sent.status, code: (sent.data as api.Error).code };

export const makeClient: MakeClient = (address, token) => {
  api.defaults.baseUrl = address;
  const as = { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } };
  return {
    create: async (name, idempotencyKey) =>
      answer(await api.createBusiness({ name, city: 'Berlin' }, { idempotencyKey }, as), ({ data }) => data),
    get: async (id) => answer(await api.getBusiness(id, {}, as), ({ data }) => data),
    list: async (name, limit, after) =>
      answer(await api.listBusinesses({ name, limit, after }, as), (good) => ({
        businesses: good.data,
        link: good.headers.get('Link'),
      })),
    update: async (id, revision, website) =>
      answer(
        await api.updateBusiness(id, { website, city: null }, { ifMatch: `"${revision}"` }, as),
        ({ data }) => data,
      ),
    createDocument: async (name) => answer(await api.createDocument({ name }, {}, as), ({ data }) => data),
    createByForm: { cannot: 'of two media types it writes JSON alone' },
    putFile: async (id, file, originalName) =>
      answer(await api.putDocumentFile(id, file, { originalName }, as), ({ data }) => data),
    download: { cannot: 'it reads a file as text where an operation also answers JSON, as it does for an error' },
    websitesSet: async (id) => answer(await api.listBusinessEvents(id, {}, as), ({ data }) => websitesIn(data)),
    ledger: async (entity) => answer(await api.listAllEvents({ entity }, as), ({ data }) => data),
  };
};
