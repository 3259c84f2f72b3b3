// Tells when the page turns light or dark, for what is drawn and not styled.

import { useEffect, useState } from 'preact/hooks';

/** Another number each time colours may have changed. */
export function useTheme(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const changed = (): void => setVersion((count) => count + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const choice = new MutationObserver(changed); // the theme switch sets a style of the root
    system.addEventListener('change', changed);
    choice.observe(document.documentElement, { attributeFilter: ['style'] });
    return () => {
      system.removeEventListener('change', changed);
      choice.disconnect();
    };
  }, []);
  return version;
}
