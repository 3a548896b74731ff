import '@mantine/core/styles.css';
import './page.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { needsToken, takeTokenOfLink } from './api/client.js';
import { finishLogin } from './api/login.js';
import { nonce } from './parts/nonce.js';
import { router } from './router.tsx';
import { resolver, theme } from './theme.js';

// Dialogs keep the page from scrolling with a style of their own.
setNonce(nonce);

takeTokenOfLink();
await finishLogin();

const queries = new QueryClient({
  defaultOptions: {
    // A server on this machine answers without a network, and no command may wait for one.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      // News of the log make an answer stale, nothing else does.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && !needsToken(error) && error instanceof TypeError,
    },
  },
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolver}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
