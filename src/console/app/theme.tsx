// Light, dark, or as the system is set.

import { useEffect, useState } from 'preact/hooks';

const PLACE = 'vulndex-theme';
const THEMES = { auto: 'light dark', light: 'light', dark: 'dark' } as const;
type Theme = keyof typeof THEMES;

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  useEffect(() => {
    document.documentElement.style.colorScheme = THEMES[theme];
    localStorage.setItem(PLACE, theme);
  }, [theme]);
  return (
    <label class="theme">
      <span class="hidden">Theme</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        <option value="auto">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function readTheme(): Theme {
  const kept = localStorage.getItem(PLACE) ?? '';
  return kept in THEMES ? (kept as Theme) : 'auto';
}
