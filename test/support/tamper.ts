/** SQL for tests that change the log behind its back, as the owner of its tables can: events, and how far it goes. */
export const LIFT_GUARD_OF_EVENTS = 'alter table event_log.event disable trigger never_changed';
export const LIFT_GUARD_OF_HEAD = 'alter table event_log.head disable trigger user';
export const LIFT_GUARD = `${LIFT_GUARD_OF_EVENTS}; ${LIFT_GUARD_OF_HEAD}`;

/** What was lifted by these is as it was. */
export const PUT_GUARD_BACK = `alter table event_log.event enable always trigger never_changed;
  alter table event_log.head enable always trigger only_grows, enable always trigger never_removed`;
