import { isAxiosError } from 'axios';
import type { Answer, MakeClient } from '../client.js';
import * as api from './made/api/index.ts';
import { websitesIn } from './made/narrows.js';

type Good<A> = { readonly data: A; readonly headers: object };

/** axios throws when an answer is no success. */
const answer = async <A, B>(sent: Promise<Good<A>>, take: (good: Good<A>) => B | Promise<B>): Promise<Answer<B>> => {
  try {
    return { ok: true, value: await take(await sent) };
  } catch (error) {
    if (!isAxiosError<api.Error>(error) || error.response === undefined) throw error;
    return { ok: false, status: error.response.status, code: error.response.data.code };
  }
};

const dataOf = <A>({ data }: Good<A>): A => data;

const linkOf = ({ headers }: Good<unknown>): string | null => ('link' in headers ? String(headers.link) : null);

export const makeClient: MakeClient = (baseURL, token) => {
  const as = { baseURL, headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } };
  return {
    create: (name, key) => {
      const keyed = key === undefined ? undefined : { 'Idempotency-Key': key };
      return answer(api.createBusiness({ name, city: 'Berlin' }, keyed, as), dataOf);
    },
    get: (id) => answer(api.getBusiness(id, undefined, undefined, as), dataOf),
    list: (name, limit, after) =>
      answer(api.listBusinesses({ name, limit, after }, undefined, as), (good) => ({
        businesses: good.data,
        link: linkOf(good),
      })),
    update: (id, revision, website) =>
      answer(api.updateBusiness(id, { website, city: null }, { 'If-Match': `"${revision}"` }, as), dataOf),
    createDocument: (name) => answer(api.createDocument({ name }, undefined, as), dataOf),
    createByForm: { cannot: 'of two media types it writes JSON alone' },
    putFile: (id, file, originalName) => answer(api.putDocumentFile(id, file, { originalName }, undefined, as), dataOf),
    download: (id) =>
      answer(api.getDocumentFile(id, undefined, undefined, { ...as, responseType: 'arraybuffer' }), ({ data }) =>
        new Blob([data]).arrayBuffer(),
      ),
    websitesSet: (id) => answer(api.listBusinessEvents(id, undefined, undefined, as), ({ data }) => websitesIn(data)),
    ledger: (entity) => answer(api.listAllEvents({ entity }, undefined, as), dataOf),
  };
};
