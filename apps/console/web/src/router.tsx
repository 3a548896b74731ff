import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Frame } from './frame/frame.tsx';
import { NotFound } from './frame/not-found.tsx';
import { Overview } from './views/overview/overview.tsx';

const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Every view has the partition in its address, so that a link shows the same to everyone. */
const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  validateSearch: (search: Record<string, unknown>): { partition?: string } => {
    const partition = text(search.partition);
    return partition === undefined ? {} : { partition };
  },
});

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Overview,
  validateSearch: (search): { find?: string; open?: string } => {
    const [find, open] = [text(search.find), text(search.open)];
    return { ...(find !== undefined && { find }), ...(open !== undefined && { open }) };
  },
});

const queue = createRoute({
  getParentRoute: () => root,
  path: '/queues/$queue',
  component: lazyRouteComponent(() => import('./views/queue/queue.tsx'), 'QueueView'),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  component: lazyRouteComponent(() => import('./views/run/runs.tsx'), 'Runs'),
  validateSearch: (search): { state?: string } => {
    const state = text(search.state);
    return state === undefined ? {} : { state };
  },
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run',
  component: lazyRouteComponent(() => import('./views/run/run.tsx'), 'RunView'),
  validateSearch: (search): { by?: 'rule' | 'owner' | 'queue' } => {
    const by = text(search.by);
    return by === 'rule' || by === 'owner' || by === 'queue' ? { by } : {};
  },
});

const log = createRoute({
  getParentRoute: () => root,
  path: '/log',
  component: lazyRouteComponent(() => import('./views/log/log.tsx'), 'LogView'),
  validateSearch: (search): { queue?: string; type?: string; event?: string } => {
    const [queue, type, event] = [text(search.queue), text(search.type), text(search.event)];
    return {
      ...(queue !== undefined && { queue }),
      ...(type !== undefined && { type }),
      ...(event !== undefined && { event }),
    };
  },
});

const why = createRoute({
  getParentRoute: () => root,
  path: '/why',
  component: lazyRouteComponent(() => import('./views/why/why.tsx'), 'Why'),
  validateSearch: (search): { of?: string } => {
    const of = text(search.of);
    return of === undefined ? {} : { of };
  },
});

export const router = createRouter({
  routeTree: root.addChildren([overview, queue, runs, run, log, why]),
  basepath: '/ui',
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
