"""Spring Security: the paths that it answers itself."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.*;
import java.util.*;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.*;
import org.springframework.security.config.annotation.web.configurers.*;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.*;
import org.springframework.security.web.util.matcher.*;
"""


def project(folder: Path, source: str, **files: str) -> Project:
    return Project(folder, {"src/main/java/shop/S.java": HEAD + source, **files})


def chain(folder: Path, calls: str, more: str = "") -> Project:
    """A configuration that makes these calls."""
    source = f"""
        class Security {{
          static final String LOGIN = "/api/login";
          SecurityFilterChain chain(HttpSecurity http, Settings settings) {{
            {calls}
            return http.build();
          }}
          {more}
        }}
        """
    return project(folder, source)


def test_login_and_logout_by_default(tmp_path: Path) -> None:
    found = chain(tmp_path, "http.formLogin(Customizer.withDefaults());")
    assert found.routes() == ["* /logout", "GET /login", "POST /login"]
    assert all(operation.excluded_from_docs for operation in found.code.operations)
    assert found.responses("POST /login") == [
        "(200) <Spring Security answers this path>",
        "…",
    ]


def test_login_and_logout_that_functions_configure(tmp_path: Path) -> None:
    found = chain(
        tmp_path,
        """
        http.csrf(AbstractHttpConfigurer::disable)
            .formLogin(form -> form.loginPage("/signin").loginProcessingUrl(LOGIN).permitAll())
            .logout(out -> out.logoutUrl("/api/logout").permitAll());
        """,
    )
    assert found.routes() == ["* /api/logout", "POST /api/login"]


def test_login_and_logout_in_one_chain(tmp_path: Path) -> None:
    found = chain(
        tmp_path,
        """
        http.authorizeRequests().anyRequest().authenticated().and()
            .formLogin().loginPage("/enter").and()
            .logout().logoutRequestMatcher(new AntPathRequestMatcher("/leave", "GET")).and()
            .csrf().disable();
        """,
    )
    assert found.routes() == ["GET /leave", "POST /enter"]


def test_what_is_turned_off(tmp_path: Path) -> None:
    found = chain(
        tmp_path,
        """
        http.formLogin(AbstractHttpConfigurer::disable).logout(out -> out.disable());
        http.httpBasic().disable();
        """,
    )
    assert found.routes() == []


def test_logins_by_other_services(tmp_path: Path) -> None:
    found = chain(
        tmp_path,
        """
        http.oauth2Login(login -> login
              .loginPage("/enter")
              .authorizationEndpoint(to -> to.baseUri("/oauth2/authorize"))
              .redirectionEndpoint(back -> back.baseUri("/oauth2/callback/*")))
            .saml2Login(Customizer.withDefaults())
            .oneTimeTokenLogin(Customizer.withDefaults());
        """,
    )
    assert found.routes() == [
        "* /login/ott",
        "* /login/saml2/sso/{registrationId}",
        "* /logout",
        "* /oauth2/authorize/{registrationId}",
        "* /oauth2/callback/{any}",
        "* /ott/generate",
        "* /saml2/authenticate",
        "* /saml2/authenticate/{registrationId}",
        "GET /login",
    ]
    plain = chain(
        tmp_path / "plain",
        """
        http.oauth2Login().authorizationEndpoint().baseUri("/to").and()
            .redirectionEndpoint().baseUri("/from/*").and().and().logout().disable();
        """,
    )
    assert plain.routes() == ["* /from/{any}", "* /to/{registrationId}", "GET /login"]


def test_what_handlers_of_success_answer(tmp_path: Path) -> None:
    found = chain(
        tmp_path,
        """
        http.formLogin(form -> form.loginProcessingUrl(LOGIN).successHandler(this::greet))
            .logout(out -> out.logoutSuccessHandler((request, response, user) -> {
              response.setStatus(204); }));
        """,
        """
        class Greeting { public String token; }
        void greet(HttpServletRequest request, HttpServletResponse response, Authentication user) {
          new ObjectMapper().writeValue(response.getWriter(), new Greeting());
        }
        """,
    )
    assert found.responses("POST /api/login") == ["(200) {token: string|null}", "…"]
    assert found.responses("* /logout") == ["204", "…"]


def test_paths_that_are_undetermined(tmp_path: Path) -> None:
    why = "the path of the request is not a constant that can be followed"
    found = chain(
        tmp_path,
        """
        http.formLogin(form -> form.loginProcessingUrl(settings.url()));
        http.logout(Library.logout());
        http.oauth2Login(login -> login.loginPage("/enter").loginProcessingUrl(settings.url()));
        """,
    )
    assert found.routes() == [
        "*  ?what `logout` is configured with could not be followed",
        "* /oauth2/authorization/{registrationId}",
        "GET /login",
        f"POST  ?{why}",
    ]
    assert [(problem.line, problem.reason) for problem in found.code.problems] == [
        (22, f"what `oauth2Login` answers is undetermined: {why}")
    ]


FILTER = """
  public Authentication attemptAuthentication(
      HttpServletRequest request, HttpServletResponse response) {
    return check(new ObjectMapper().readValue(request.getInputStream(), Login.class)); }
"""


def test_authentication_filters(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        f"""
        class Login {{ public String user; public String password; }}
        class Token {{ public String token; }}
        class Fixed extends UsernamePasswordAuthenticationFilter {{
          Fixed(AuthenticationManager manager) {{
            super(manager); setFilterProcessesUrl("/api/fixed"); }} {FILTER}
          protected void successfulAuthentication(HttpServletRequest request,
              HttpServletResponse response, FilterChain chain, Authentication who) {{
            response.setContentType("application/json");
            new ObjectMapper().writeValue(response.getOutputStream(), new Token()); }}
        }}
        class Default extends UsernamePasswordAuthenticationFilter {{ {FILTER} }}
        class Given extends AbstractAuthenticationProcessingFilter {{
          Given(String url, Manager manager) {{
            super(new AntPathRequestMatcher(url, "POST")); }} {FILTER} }}
        class Several extends AbstractAuthenticationProcessingFilter {{
          Several() {{ super(new OrRequestMatcher(
            PathPatternRequestMatcher.withDefaults().matcher(HttpMethod.PUT, "/a"),
            new AntPathRequestMatcher("/b"))); }} {FILTER} }}
        class Open extends AbstractAuthenticationProcessingFilter {{
          Open(RequestMatcher matcher) {{ super(matcher); }} {FILTER} }}
        class Checking extends AbstractAuthenticationProcessingFilter {{
          Checking() {{ super("/api/**"); }} {FILTER}
          protected void successfulAuthentication(HttpServletRequest request,
              HttpServletResponse response, FilterChain chain, Authentication who) {{
            chain.doFilter(request, response); }} }}
        class Setup {{
          Given given(Manager manager) {{ return new Given("/api/given", manager); }}
          void later() {{
            UsernamePasswordAuthenticationFilter plain = new UsernamePasswordAuthenticationFilter();
            plain.setFilterProcessesUrl("/api/plain"); }}
        }}
        """,
    )
    assert found.routes() == [
        "*  ?a request matcher could not be followed",
        "* /api/fixed",
        "* /api/plain",
        "* /b",
        "POST /api/given",
        "POST /login",
        "PUT /a",
    ]
    assert found.request("* /api/fixed") == ["{user: string~, password: string~}"]
    assert found.responses("* /api/fixed") == ["(200) {token: string|null}", "…"]
    assert found.responses("POST /api/given") == ["(200) <Spring Security answers this path>", "…"]


def test_authorization_servers(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Server {
          SecurityFilterChain chain(HttpSecurity http) {
            OAuth2AuthorizationServerConfiguration.applyDefaultSecurity(http); }
          AuthorizationServerSettings settings() {
            return AuthorizationServerSettings.builder().tokenEndpoint("/token").build(); }
        }
        """,
    )
    assert found.routes() == [
        "* /.well-known/{metadata}",
        "* /connect/logout",
        "* /connect/register",
        "* /logout",
        "* /oauth2/authorize",
        "* /oauth2/device_authorization",
        "* /oauth2/device_verification",
        "* /oauth2/introspect",
        "* /oauth2/jwks",
        "* /oauth2/par",
        "* /oauth2/revoke",
        "* /token",
        "* /userinfo",
    ]
    old = project(
        tmp_path / "old",
        """
        @EnableAuthorizationServer class Server {
          void configure(AuthorizationServerEndpointsConfigurer endpoints) {
            endpoints.pathMapping("/oauth/token", "/api/token"); } }
        """,
    )
    assert old.routes() == [
        "* /api/token",
        "* /oauth/authorize",
        "* /oauth/check_token",
        "* /oauth/confirm_access",
        "* /oauth/error",
        "* /oauth/token_key",
    ]


def test_context_path_stands_before(tmp_path: Path) -> None:
    properties = {"src/main/resources/application.properties": "server.servlet.context-path=/shop"}
    source = "class S { void f(HttpSecurity http) { http.formLogin().loginPage(LibraryX.PAGE); } }"
    settings = 'class T { void f(HttpSecurity http) { http.logout().logoutUrl("/bye"); } }'
    found = project(tmp_path, source + settings, **properties)
    why = "the path of the request is not a constant that can be followed"
    assert found.routes() == ["* /shop/bye", "* /shop/logout", f"POST  ?{why}"]


def test_a_context_path_that_no_setting_tells(tmp_path: Path) -> None:
    properties = {"src/main/resources/application.properties": "server.servlet.context-path=${at}"}
    source = 'class T { void f(HttpSecurity http) { http.logout().logoutUrl("/bye"); } }'
    found = project(tmp_path, source, **properties)
    why = "the property `at` of the context path is set nowhere"
    assert found.routes() == [f"* /{{computed}}/bye ?{why}"]
