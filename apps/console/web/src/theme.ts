import { type CSSVariablesResolver, createTheme, Modal, Text } from '@mantine/core';

/** Colours and spacing of the page, all in one place. Bars and badges name what they show, never a colour. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  components: {
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
  },
  spacing: { xs: '6px', sm: '10px', md: '16px', lg: '24px', xl: '32px' },
});

export const resolver: CSSVariablesResolver = () => ({
  variables: { '--bar-height': '10px', '--row-height': '34px' },
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-anchor': '#1864ab',
    '--mantine-color-placeholder': '#5c636a',
    '--usage': '#1971c2',
    '--leaving': '#e8590c',
    '--guaranteed': '#2b8a3e',
    '--quota': '#212529',
    '--bar-track': '#e9ecef',
    '--bad': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a6adb4',
    '--mantine-color-anchor': '#74c0fc',
    '--mantine-color-placeholder': '#a6adb4',
    '--usage': '#4dabf7',
    '--leaving': '#ffa94d',
    '--guaranteed': '#69db7c',
    '--quota': '#f1f3f5',
    '--bar-track': '#373a40',
    '--bad': '#ff8787',
  },
});
