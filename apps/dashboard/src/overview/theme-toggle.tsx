import { useState } from 'preact/hooks'

type Theme = 'light' | 'dark'
const KEY = 'bourse-theme' // public/theme.js reads the same

export function ThemeToggle() {
  const [theme, setTheme] = useState(currentTheme)
  const other = theme === 'dark' ? 'light' : 'dark'

  function toggle(): void {
    document.documentElement.dataset.theme = other
    localStorage.setItem(KEY, other)
    setTheme(other)
  }
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Switch to ${other} theme`}
      title={`Switch to ${other} theme`}
      onClick={toggle}
    >
      {theme === 'dark' ? <Sun /> : <Moon />}
    </button>
  )
}

function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

function Sun() {
  return (
    <svg viewBox="0 0 24 24" width="18" height="18" class="icon" aria-hidden="true">
      <circle cx="12" cy="12" r="4" />
      <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4" />
    </svg>
  )
}

function Moon() {
  return (
    <svg viewBox="0 0 24 24" width="18" height="18" class="icon" aria-hidden="true">
      <path d="M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5Z" />
    </svg>
  )
}
