// Applies the chosen theme before the first paint. It is not a module: modules run too late.
try {
  const theme = localStorage.getItem("preview:theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's theme stays.
}
