// Whether a page shows signs that the reader is logged in there, so that its text may be for them alone.
//
// A classic script for the extension's isolated world, before text.js. It only reads. The cookies of most logins are kept
// from scripts, so the page itself is looked at: a way to log out stands where somebody is logged in.
globalThis.sidelightSignedIn = (() => {
  "use strict";

  const { fold, textContent, getAttribute } = globalThis.sidelightDom;

  const LOGOUT_ADDRESS = ["logout", "log-out", "log_out", "logoff", "signout", "sign-out", "sign_out", "signoff"]
    .flatMap((word) => [`a[href*="${word}" i]`, `form[action*="${word}" i]`, `[data-action*="${word}" i]`])
    .join(", ");
  const BUTTONS = 'button, [role="button"], [role="menuitem"], a, input[type="submit"]';
  /** Longest words of a button that are compared, and most buttons looked at. */
  const MAX_WORDS = 40, MAX_BUTTONS = 5_000;
  const LOGOUT_WORDS = new RegExp("^(?:(?:log|sign)[ -]?(?:out|off)|abmelden|ausloggen|cerrar (?:la )?sesión|salir|" +
    "(?:se )?déconnexion|(?:se |me )?déconnecter|sair|terminar sessão|uitloggen|afmelden|logga ut|log ud|logg ut|esci|" +
    "disconnetti|wyloguj(?: się)?|выйти|выход|çıkış yap|ログアウト|サインアウト|退出(?:登录)?|登出|로그아웃|تسجيل الخروج)$", "iu");
  /** Cookies that sites set where somebody has logged in, as far as scripts may see them. */
  const LOGIN_COOKIE = new RegExp("(?:^|[-_.])(?:auth(?:token|orization)?|access[-_]?token|id[-_]?token|jwt|" +
    "logged[-_]?in|is[-_]?login|login|remember[-_]?(?:me|token|user)|user[-_]?(?:id|name|token)|wp-settings)(?:$|[-_.0-9])", "i");

  const hasLoginCookie = () => {
    try {
      return document.cookie.split(";").some((cookie) => {
        const [name, value = ""] = cookie.trim().split("=");
        return value !== "" && !/^(?:0|false|no)$/i.test(value) && LOGIN_COOKIE.test(name);
      });
    } catch {
      return false; // a sandboxed document has no cookies
    }
  };

  /** Looks in these trees of the page: the document and the shadow trees in it. */
  function signedIn(roots) {
    if (hasLoginCookie()) return true;
    return roots.some((root) => {
      if (root.querySelector(LOGOUT_ADDRESS)) return true;
      const buttons = root.querySelectorAll(BUTTONS);
      for (let i = 0; i < Math.min(buttons.length, MAX_BUTTONS); i += 1) {
        const words = textContent(buttons[i]) || getAttribute(buttons[i], "value") || getAttribute(buttons[i], "aria-label");
        if (words && words.length <= MAX_WORDS * 2 && LOGOUT_WORDS.test(fold(words).slice(0, MAX_WORDS))) return true;
      }
      return false;
    });
  }

  return { signedIn };
})();
