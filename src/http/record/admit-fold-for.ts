import type { AdmitPage } from '../../read/admit-page.js';
import type { Exchange } from '../exchange.js';

/** Admits the fold of a stream for a request: it needs a place among the histories, and for each page its turn. */
export const admitFoldFor = ({ ctx: { state } }: Exchange): AdmitPage => {
  let hasPlace = false;
  return async () => {
    if (hasPlace) return state.turn();
    hasPlace = await state.take('histories');
    return hasPlace;
  };
};
