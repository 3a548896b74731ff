/** What a caller may do, and what it is for. */
export const rights = {
  read: 'read everything that Curtail shows',
  preview: 'compute what a change would do, without changing anything',
  submit: 'change configurations of queues',
  answer: 'answer for work that is to be evicted',
  stop: 'stop, freeze, cancel and reject: it keeps work from being evicted',
  operate: 'resume, unfreeze, request runs, and set modes',
  approve: 'approve and reject runs and changes',
  administer: 'change settings, data and the operation of Curtail itself',
  metrics: 'read the metrics',
} as const;
export type AccessRight = keyof typeof rights;

/** The roles that a policy file may grant without defining them. */
export const builtInRoles = {
  viewer: ['read', 'preview', 'metrics'],
  submitter: ['read', 'preview', 'submit', 'answer'],
  operator: ['read', 'preview', 'metrics', 'stop', 'operate'],
  approver: ['read', 'preview', 'metrics', 'approve'],
  admin: Object.keys(rights) as AccessRight[],
  agent: ['metrics'],
} as const satisfies Record<string, readonly AccessRight[]>;
export type BuiltInRole = keyof typeof builtInRoles;

export const rightNames = Object.keys(rights) as [AccessRight, ...AccessRight[]];
export const roleNames = Object.keys(builtInRoles) as [BuiltInRole, ...BuiltInRole[]];
