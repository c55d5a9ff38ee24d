import type { Revision } from '../../event-sourcing/recorded-event.js';
import type { EventsRequest } from '../../read/entity-events.js';
import { RENDERING } from '../../read/event-view.js';

/**
 * The strong entity tag of a response that lists events: what the entity's newest event was, how events are rendered, and
 * which of them were asked for, in which form. Events never change, so nothing else can change the body or its `Link`.
 */
export const eventsTag = ({ direction, from, limit, proof, diff }: EventsRequest, newest: Revision): string => {
  const order = direction === 'forwards' ? '' : ';desc';
  const window = `${from === undefined ? '' : `;from=${from}`}${limit === undefined ? '' : `;limit=${limit}`}`;
  return `"${newest};v${RENDERING}${order}${window}${proof ? ';proof' : ''}${diff === true ? ';diff' : ''}"`;
};
