import { MAX_OWNERS, MAX_OWNERS_LENGTH } from '../../domain/business/owner-limits.js';
import type { BusinessRejection } from '../../domain/business/rejections.js';
import { conflict, invalid, notFound } from '../problem/problem.js';
import { withRejections } from '../problem/rejected.js';

export const withBusinessRejections = withRejections<BusinessRejection>({
  BusinessNotFound: notFound,
  OwnerNotFound: notFound,
  BusinessAlreadyExists: conflict('The business exists already'),
  OwnerAlreadyAdded: conflict('The user is an owner of the business already'),
  TooManyOwners: conflict(`A business has at most ${MAX_OWNERS} owners`),
  OwnersTooLong: conflict(
    `Users and titles of all owners of a business have at most ${MAX_OWNERS_LENGTH} characters together`,
  ),
  BusinessIsItsOwnParent: invalid({ path: 'parent', message: 'must not be the business itself' }),
});
