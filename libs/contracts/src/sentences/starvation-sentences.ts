import type { Sentences } from './sentences.js';

export const starvationSentences: Sentences = {
  StatusChanged: ({ kind, name, to }) =>
    `${kind} ${name} is ${to === 'normal' ? 'no longer below its fair share' : 'below its fair share'}`,
  StarvationChanged: ({ kind, name, to }) =>
    to === 'non_starving'
      ? `${kind} ${name} no longer starves`
      : `${kind} ${name} is ${to.replaceAll('_', ' ')}`,
  TimerStarted: ({ kind, name, dueAt }) => `${kind} ${name} has until ${dueAt}; then a plan is requested`,
  TimerRestarted: ({ kind, name, dueAt, previousDueAt }) =>
    `${kind} ${name} now has until ${dueAt}, before it was ${previousDueAt}`,
  TimerCancelled: ({ kind, name, dueAt }) => `the timer of ${kind} ${name}, due at ${dueAt}, ended early`,
};
