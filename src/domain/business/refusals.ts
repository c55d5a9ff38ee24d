/** Never created, or deleted. */
type BusinessNotFound = { readonly _tag: 'BusinessNotFound' };

type BusinessAlreadyExists = { readonly _tag: 'BusinessAlreadyExists' };

type BusinessIsItsOwnParent = { readonly _tag: 'BusinessIsItsOwnParent' };

type OwnerNotFound = { readonly _tag: 'OwnerNotFound' };

type OwnerAlreadyAdded = { readonly _tag: 'OwnerAlreadyAdded' };

export type BusinessRefusal =
  BusinessNotFound | BusinessAlreadyExists | BusinessIsItsOwnParent | OwnerNotFound | OwnerAlreadyAdded;
