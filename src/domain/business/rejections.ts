/** Why a business does not take a command. */
export type BusinessRejection = {
  readonly _tag:
    | 'BusinessNotFound' // never created, deleted, or erased
    | 'BusinessAlreadyExists'
    | 'BusinessIsItsOwnParent'
    | 'OwnerNotFound'
    | 'OwnerAlreadyAdded'
    | 'TooManyOwners'
    | 'OwnersTooLong'; // users and titles of all owners together
};
