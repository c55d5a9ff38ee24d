import { MAX_OWNERS, MAX_OWNERS_LENGTH } from '../../domain/business/owner-limits.js';
import type { BusinessRejection } from '../../domain/business/rejections.js';
import { conflict, invalid, notFound } from '../problem/problem.js';
import { withRejections } from '../problem/rejected.js';

export const withBusinessRejections = withRejections<BusinessRejection>({
  BusinessNotFound: notFound('business_not_found'),
  OwnerNotFound: notFound('owner_not_found'),
  BusinessAlreadyExists: conflict('business_exists', 'The business exists already'),
  OwnerAlreadyAdded: conflict('owner_exists', 'The user is an owner of the business already'),
  TooManyOwners: conflict('too_many_owners', `A business has at most ${MAX_OWNERS} owners`),
  OwnersTooLong: conflict(
    'owners_too_long',
    `Users and titles of all owners of a business have at most ${MAX_OWNERS_LENGTH} characters together`,
  ),
  BusinessIsItsOwnParent: invalid('parent_is_itself', {
    path: 'parent',
    message: 'must not be the business itself',
  }),
});
