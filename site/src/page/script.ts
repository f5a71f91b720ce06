// Scripts that the page loads when it needs them. A page that is a file may load nothing else.

export const HINT = "If this page is a file, serve it instead: cargo xtask site --serve";

/** Runs a script of the site. */
export function loadScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = src;
    script.onerror = () => reject(new Error(`${src} cannot be loaded. ${HINT}`));
    script.onload = () => {
      script.remove();
      resolve();
    };
    document.head.append(script);
  });
}
