import { option as O } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import { businessUseCases } from '../application/business/use-cases.js';
import type { BusinessCommand } from '../domain/business/commands.js';
import { businessDecider } from '../domain/business/decide.js';
import type { BusinessEvent } from '../domain/business/events.js';
import type { BusinessRejection } from '../domain/business/rejections.js';
import { businessSerde } from '../domain/business/serde.js';
import type { BusinessState } from '../domain/business/state.js';
import { businessComparison, renderBusiness } from '../read/business-view.js';
import { describeBusinessEvent, shownOfBusinessEvents } from '../read/describe-business-event.js';
import { defineEntity } from './define-entity.js';

export const business = defineEntity<BusinessState, BusinessCommand, BusinessEvent, BusinessRejection>({
  name: 'Business',
  decider: businessDecider,
  serde: businessSerde,
  describe: describeBusinessEvent,
  shown: shownOfBusinessEvents,
  aboutOthers: ['BusinessOwnerAdded', 'BusinessOwnerUpdated', 'BusinessOwnerRemoved'],
  render: (id, state) => (state._tag === 'Active' ? O.some(renderBusiness(id, state)) : O.none),
  comparison: businessComparison,
  projection: businesses,
  routes: ({ execute, foresee, earlier, reads }, { runtime, links }) =>
    import('../http/business/routes.js').then(({ businessRoutes }) =>
      businessRoutes(
        {
          ...businessUseCases(runtime.random, execute),
          ...reads,
          foresee,
          earlier,
        },
        links,
      ),
    ),
});
