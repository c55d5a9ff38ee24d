/** Never created, or deleted. */
type BusinessNotFound = { readonly _tag: 'BusinessNotFound' };

type BusinessAlreadyExists = { readonly _tag: 'BusinessAlreadyExists' };

type BusinessIsItsOwnParent = { readonly _tag: 'BusinessIsItsOwnParent' };

type OwnerNotFound = { readonly _tag: 'OwnerNotFound' };

type OwnerAlreadyAdded = { readonly _tag: 'OwnerAlreadyAdded' };

/** The business has as many owners as one may have. */
type TooManyOwners = { readonly _tag: 'TooManyOwners' };

/** The users and titles of all owners together would be too long. */
type OwnersTooLong = { readonly _tag: 'OwnersTooLong' };

export type BusinessRejection =
  | BusinessNotFound
  | BusinessAlreadyExists
  | BusinessIsItsOwnParent
  | OwnerNotFound
  | OwnerAlreadyAdded
  | TooManyOwners
  | OwnersTooLong;
