import type { AdmitPage } from '../../read/admit-page.js';
import type { RequestContext } from '../request-context.js';

/** Admits the pages of a stream that is folded for a request: the first acquires a history, each takes a time slice. */
export const pageAdmission = ({ ctx: { state } }: RequestContext): AdmitPage => {
  let isAcquired = false;
  return async () => {
    if (isAcquired) return state.timeSlice();
    isAcquired = await state.acquire('histories');
    return isAcquired;
  };
};
