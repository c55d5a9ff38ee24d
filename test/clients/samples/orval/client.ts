import type { Answer, MakeClient } from '../client.js';
import { setService } from './fetch.js';
import * as api from './made/api.js';
import { websitesIn } from './made/narrows.js';

type Sent = { readonly status: number; readonly data: unknown };
type Good<R> = Extract<R, { readonly status: 200 }>;

const answer = <R extends Sent, B>(sent: R, take: (good: Good<R>) => B): Answer<B> =>
  sent.status === 200
    ? // reason: a type parameter is not narrowed by one of its members
      { ok: true, value: take(sent as Good<R>) }
    : { ok: false, status: sent.status, code: (sent.data as api.Error).code };

export const makeClient: MakeClient = (address, token) => {
  setService(address);
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const as = { headers };
  return {
    create: async (name, key) => {
      const keyed = key === undefined ? as : { headers: { ...headers, 'Idempotency-Key': key } };
      return answer(await api.createBusiness({ name, city: 'Berlin' }, keyed), ({ data }) => data);
    },
    get: async (id) => answer(await api.getBusiness(id, undefined, as), ({ data }) => data),
    list: async (name, limit, after) =>
      answer(await api.listBusinesses({ name, limit, after }, as), (good) => ({
        businesses: good.data,
        link: good.headers.get('Link'),
      })),
    update: async (id, revision, website) => {
      const condition = { headers: { ...headers, 'If-Match': `"${revision}"` } };
      return answer(await api.updateBusiness(id, { website, city: null }, condition), ({ data }) => data);
    },
    createDocument: async (name) => answer(await api.createDocument({ name }, as), ({ data }) => data),
    createByForm: { cannot: 'of two media types it writes JSON alone' },
    putFile: async (id, file, originalName) =>
      answer(await api.putDocumentFile(id, file, { originalName }, as), ({ data }) => data),
    download: async (id) => {
      const file = answer(await api.getDocumentFile(id, undefined, as), ({ data }) => data);
      return file.ok ? { ok: true, value: await file.value.arrayBuffer() } : file;
    },
    websitesSet: async (id) => answer(await api.listBusinessEvents(id, undefined, as), ({ data }) => websitesIn(data)),
    ledger: async (entity) => answer(await api.listAllEvents({ entity }, as), ({ data }) => data),
  };
};
